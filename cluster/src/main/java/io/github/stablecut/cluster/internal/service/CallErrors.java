package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.call.Commits;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;

/**
 * What calls are answered that have failed. What nobody foresaw is logged; behind a commit it says
 * nothing of what came of that.
 */
final class CallErrors {
  private CallErrors() {}

  /** The answer to a call that has failed. */
  static Answer answer(Call call, Throwable failure) {
    Throwable cause = Failures.cause(failure);
    return isForeseen(cause) || !Commits.isOne(call)
        ? answer(cause)
        : CallFailures.of(
            new OutcomeUnknownException(
                words(cause)
                    + "; nobody knows whether the commit was made: read what it would have changed"));
  }

  /** The answer to what is no call, or has changed nothing. */
  static Answer answer(Throwable failure) {
    if (failure instanceof StablecutException known) {
      return CallFailures.of(known);
    }
    return CallFailures.of(
        isForeseen(failure)
            ? new ProtocolCallException(String.valueOf(failure.getMessage()))
            : new BusyException(words(failure) + "; try again"));
  }

  private static boolean isForeseen(Throwable failure) {
    return failure instanceof StablecutException || failure instanceof IllegalArgumentException;
  }

  private static String words(Throwable failure) {
    return "the server failed on this call, and its log says why (failure %d)"
        .formatted(Failures.log(failure));
  }
}
