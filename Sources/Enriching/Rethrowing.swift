/// Returns the result of `body`. Converts its error to one that callers know.
func rethrowing<StepError: Error, KnownError: Error, Value: ~Copyable>(
  as known: (StepError) -> KnownError, _ body: () throws(StepError) -> Value
) throws(KnownError) -> Value {
  do throws(StepError) {
    return try body()
  } catch {
    throw known(error)
  }
}
