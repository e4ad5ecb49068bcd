package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.RequestMismatchException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StaleRequestException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.journal.DiskFullException;
import io.github.stablecut.journal.JournalFailedException;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Encodes exceptions as a number and a message. An exception without a number is sent as one of the
 * same group, so that callers react correctly: retry, fix the call, or investigate.
 */
final class FailureCodec {
  /** One kind of exception. */
  private record Kind(
      Class<? extends StablecutException> type, Function<String, StablecutException> make) {}

  /** The kinds in the order of their numbers, which never change. */
  private static final List<Kind> KINDS =
      List.of(
          new Kind(StoreIoException.class, StoreIoException::new),
          new Kind(ConflictException.class, ConflictException::new),
          new Kind(LimitExceededException.class, LimitExceededException::new),
          new Kind(PartitionUnavailableException.class, PartitionUnavailableException::new),
          new Kind(ReadTimeoutException.class, ReadTimeoutException::new),
          new Kind(SessionExpiredException.class, SessionExpiredException::new),
          new Kind(SnapshotTruncatedException.class, SnapshotTruncatedException::new),
          new Kind(StaleRequestException.class, StaleRequestException::new),
          new Kind(TransactionExpiredException.class, TransactionExpiredException::new),
          new Kind(TransactionTimeoutException.class, TransactionTimeoutException::new),
          new Kind(TypeMismatchException.class, TypeMismatchException::new),
          new Kind(UnknownSnapshotException.class, UnknownSnapshotException::new),
          new Kind(OperationRefusedException.class, OperationRefusedException::new),
          new Kind(OutcomeUnknownException.class, OutcomeUnknownException::new),
          new Kind(DiskFullException.class, DiskFullException::new),
          new Kind(RequestMismatchException.class, RequestMismatchException::new));

  /** The number of {@link MissingRightsException}, which carries more than a message. */
  private static final int MISSING_RIGHTS = KINDS.size();

  private FailureCodec() {}

  static void write(StablecutException failure, WireOutput out) {
    if (failure instanceof MissingRightsException refusal) {
      writeRights(refusal, out.kind(MISSING_RIGHTS).text(String.valueOf(refusal.getMessage())));
      return;
    }
    out.kind(KINDS.indexOf(kindOf(failure))).text(String.valueOf(failure.getMessage()));
  }

  private static void writeRights(MissingRightsException refusal, WireOutput out) {
    out.number(refusal.missing()).size(refusal.rights().size());
    refusal.rights().forEach((dataCentre, rights) -> out.size(dataCentre).number(rights));
  }

  private static MissingRightsException readRights(WireInput in) {
    String message = in.text();
    long missing = in.number();
    TreeMap<Integer, Long> rights = new TreeMap<>();
    for (int left = in.size(); left > 0; left--) {
      rights.put(in.small(), in.number());
    }
    return new MissingRightsException(message, missing, rights);
  }

  private static Kind kindOf(StablecutException failure) {
    Class<?> failureClass = failure.getClass();
    if (failure instanceof JournalFailedException journal) {
      failureClass =
          journal.isUnwritten()
              ? PartitionUnavailableException.class
              : OutcomeUnknownException.class;
    } else if (known(failureClass).equals(KINDS.get(0))) {
      failureClass =
          failure instanceof RetryException
              ? PartitionUnavailableException.class
              : failure instanceof UsageException
                  ? LimitExceededException.class
                  : StoreIoException.class;
    }
    return known(failureClass);
  }

  /** Returns the first kind that includes a class; the first kind of all if none does. */
  private static Kind known(Class<?> type) {
    return KINDS.stream()
        .filter(kind -> kind.type.isAssignableFrom(type))
        .findFirst()
        .orElse(KINDS.get(0));
  }

  static StablecutException read(WireInput in) {
    int kind = in.kind();
    if (kind == MISSING_RIGHTS) {
      return readRights(in);
    }
    if (kind < 0 || kind >= KINDS.size()) {
      throw new BadMessageException("failure " + kind);
    }
    return KINDS.get(kind).make.apply(in.text());
  }
}
