/** Answers when a thread has started: it does nothing itself. */
export default (): void => {}
