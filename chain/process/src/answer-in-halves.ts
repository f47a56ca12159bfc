/**
 * Answers many questions by one statement. When it fails they are asked again in halves, so that one which cannot be answered
 * fails alone.
 * @param answerAll answers in the order of the questions
 * @param isOfAll tells whether a failure is nobody's question: then all of them fail at once
 */
export async function answerInHalves<Question, Answer>(
  answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  questions: readonly Question[],
  isOfAll: (cause: Error) => boolean,
): Promise<(Answer | Error)[]> {
  try {
    const answers = await answerAll(questions)
    if (answers.length !== questions.length) throw new Error(`${questions.length} questions, ${answers.length} answers`)
    return [...answers]
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error))
    if (questions.length === 1 || isOfAll(cause)) return questions.map(() => cause)
    const middle = Math.ceil(questions.length / 2)
    const first = await answerInHalves(answerAll, questions.slice(0, middle), isOfAll)
    return [...first, ...(await answerInHalves(answerAll, questions.slice(middle), isOfAll))]
  }
}
