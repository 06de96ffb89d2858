/// Returns what `body` returns; throws its error as the failure that this is for a payload.
func rethrowing<StepError: Error, Value: ~Copyable>(
  as failure: (StepError) -> Failure, _ body: () throws(StepError) -> Value
) throws(Failure) -> Value {
  do throws(StepError) {
    return try body()
  } catch {
    throw failure(error)
  }
}
