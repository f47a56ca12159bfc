/** Keeps one value for each of some objects: it is made when it is first asked for, and goes with its object. */
export function oneOfEach<Of extends object, Value, Rest extends unknown[] = []>(
  make: (of: Of, ...rest: Rest) => Value,
): (of: Of, ...rest: Rest) => Value {
  const known = new WeakMap<Of, Value>()
  return (of, ...rest) => {
    const value = known.get(of) ?? make(of, ...rest)
    known.set(of, value)
    return value
  }
}
