package io.github.stablecut.cluster.internal.service.handle;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.TooLargeException;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.DamageException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PrintableText;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.journal.DiskFullException;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/** Converts exceptions to answers: a sentence, never a stack trace. */
public final class Failures {
  private static final Logger LOG = Log.of(Failures.class);
  private static final int MAX_CHARS = 2_000;
  private static final AtomicLong LAST_NUMBER = new AtomicLong();
  private static final LogLimit LIMIT = new LogLimit();

  private Failures() {}

  /** Converts a failure to an answer. Unexpected failures are logged. */
  public static Response.Failed answer(Throwable failure) {
    Throwable cause = cause(failure);
    if (cause instanceof StablecutException) {
      return new Response.Failed(code(cause), sentence(cause));
    }
    long number = log(cause);
    return new Response.Failed(
        ErrorCode.UNKNOWN,
        "the server failed on this request, and its log has the reason (failure " + number + ")");
  }

  /**
   * Logs an unexpected failure and returns its number. Failures beyond the log's rate limit are
   * only counted; for these, returns the number of the last logged failure.
   */
  @CanIgnoreReturnValue
  public static long log(Throwable cause) {
    OptionalLong leftOut = LIMIT.admit();
    if (leftOut.isEmpty()) {
      return LAST_NUMBER.get();
    }
    long number = LAST_NUMBER.incrementAndGet();
    LOG.error("unexpected failure {}{}", number, LogLimit.suffix(leftOut.getAsLong()), cause);
    return number;
  }

  /** Unwraps a {@link CompletionException}. */
  public static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  public static ErrorCode code(Throwable failure) {
    if (failure instanceof UsageException) {
      return usageCode(failure);
    } else if (failure instanceof TransactionExpiredException) {
      return ErrorCode.TIMEOUT;
    } else if (failure instanceof ConflictException) {
      return ErrorCode.ABORTED;
    } else if (failure instanceof DiskFullException) {
      return ErrorCode.DISK_FULL;
    } else if (failure instanceof RetryException) {
      return ErrorCode.BUSY;
    } else if (failure instanceof OutcomeUnknownException) {
      return ErrorCode.OUTCOME_UNKNOWN;
    } else if (failure instanceof ReopenException) {
      return ErrorCode.UNAVAILABLE;
    }
    return failure instanceof DamageException ? ErrorCode.DAMAGED : ErrorCode.UNKNOWN;
  }

  private static ErrorCode usageCode(Throwable failure) {
    if (failure instanceof TypeMismatchException) {
      return ErrorCode.TYPE_MISMATCH;
    } else if (failure instanceof LimitExceededException || failure instanceof TooLargeException) {
      return ErrorCode.LIMIT_EXCEEDED;
    } else if (failure instanceof TransactionEndedException) {
      return ErrorCode.NO_TRANSACTION;
    }
    return failure instanceof UnknownSnapshotException
        ? ErrorCode.UNKNOWN_SNAPSHOT
        : ErrorCode.BAD_REQUEST;
  }

  private static String sentence(Throwable failure) {
    return PrintableText.of(String.valueOf(failure.getMessage()), MAX_CHARS);
  }
}
