package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.cluster.RequestRefusedException;
import io.github.stablecut.cluster.ServerBusyException;
import io.github.stablecut.cluster.ServerUnavailableException;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnknownSnapshotException;

/**
 * Answers that are errors as exceptions: those that an embedded store throws, where it has such.
 */
final class RemoteErrors {
  private RemoteErrors() {}

  /** What is thrown for an answer that was not wanted. */
  static StablecutException of(Response response) {
    if (response instanceof Response.Failed failed) {
      return of(failed.code(), failed.message());
    } else if (response instanceof Response.Refused refused) {
      return of(refused.code(), "the server refuses the update, error " + refused.code());
    } else if (response instanceof Response.NotCommitted failed) {
      return of(failed.code(), "the server doesn't commit, error " + failed.code());
    }
    return new ServerUnavailableException(
        "the server gave an answer to another question: " + response.getClass().getSimpleName(),
        null);
  }

  private static StablecutException of(ErrorCode code, String message) {
    return switch (code) {
      case TIMEOUT -> new TransactionExpiredException(message);
      case NO_PERMISSIONS ->
          new OperationRefusedException(
              message + ": a bounded counter lacks the rights; increment it, or take less");
      case ABORTED -> new ConflictException(message + ": another transaction was first; try again");
      case BAD_REQUEST -> new RequestRefusedException(message, null);
      case TYPE_MISMATCH -> new TypeMismatchException(message);
      case LIMIT_EXCEEDED -> new LimitExceededException(message);
      case NO_TRANSACTION -> new TransactionEndedException(message);
      case UNKNOWN_SNAPSHOT -> new UnknownSnapshotException(message);
      case OUTCOME_UNKNOWN -> new OutcomeUnknownException(message);
      case BUSY, DISK_FULL -> new ServerBusyException(message, null);
      case UNKNOWN, UNAVAILABLE, DAMAGED -> new ServerUnavailableException(message, null);
    };
  }
}
