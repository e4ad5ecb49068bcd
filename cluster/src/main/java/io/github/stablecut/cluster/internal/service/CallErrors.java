package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.call.Commits;
import io.github.stablecut.cluster.internal.service.handle.BusyException;
import io.github.stablecut.cluster.internal.service.handle.Failures;
import io.github.stablecut.cluster.internal.service.handle.ProtocolCallException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;

/**
 * Converts failures of calls to answers. Unexpected failures are logged; after a commit began, they
 * leave its outcome unknown.
 */
final class CallErrors {
  private CallErrors() {}

  /** Converts the failure of a call to an answer. */
  static Answer answer(Call call, Throwable failure) {
    Throwable cause = Failures.cause(failure);
    return isExpected(cause) || !Commits.isOne(call)
        ? answer(cause)
        : CallFailures.of(
            new OutcomeUnknownException(
                message(cause)
                    + "; the outcome of the commit is unknown: read its objects to see whether it took effect"));
  }

  /** Converts a failure that changed nothing to an answer. */
  static Answer answer(Throwable failure) {
    if (failure instanceof StablecutException known) {
      return CallFailures.of(known);
    }
    return CallFailures.of(
        isExpected(failure)
            ? new ProtocolCallException(String.valueOf(failure.getMessage()))
            : new BusyException(message(failure) + "; try again"));
  }

  private static boolean isExpected(Throwable failure) {
    return failure instanceof StablecutException || failure instanceof IllegalArgumentException;
  }

  private static String message(Throwable failure) {
    return "the server failed on this call, and its log has the reason (failure %d)"
        .formatted(Failures.log(failure));
  }
}
