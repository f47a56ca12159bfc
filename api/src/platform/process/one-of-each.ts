/** Keeps one value for each of some objects: it is made when it is first asked for, and goes with its object. */
export function oneOfEach<Of extends object, Value>(make: (of: Of) => Value): (of: Of) => Value {
  const known = new WeakMap<Of, Value>()
  return (of) => {
    const value = known.get(of) ?? make(of)
    known.set(of, value)
    return value
  }
}
