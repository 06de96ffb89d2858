/// Returns what `body` returns; throws its error as what callers know: for a payload, as the failure that it
/// is.
func rethrowing<StepError: Error, KnownError: Error, Value: ~Copyable>(
  as known: (StepError) -> KnownError, _ body: () throws(StepError) -> Value
) throws(KnownError) -> Value {
  do throws(StepError) {
    return try body()
  } catch {
    throw known(error)
  }
}
