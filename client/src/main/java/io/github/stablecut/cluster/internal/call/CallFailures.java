package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.CausalToken;
import io.github.stablecut.WatchOverflowException;
import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.error.CheckpointBacklogException;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.DamageException;
import io.github.stablecut.error.HookFailedException;
import io.github.stablecut.error.HookTimeoutException;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.NestedTransactionOpenException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.RequestMismatchException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.SessionExpiredException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StaleRequestException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.TransactionTimeoutException;
import io.github.stablecut.error.TrimmedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.journal.DiskFullException;
import io.github.stablecut.journal.JournalFailedException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Encodes exceptions as a number and a message, so that a call throws what an embedded store
 * throws. An exception without a number of its own is sent as the general one of its group. Only an
 * administrator can reopen a server's store, so its clients see it as unavailable until then.
 */
public final class CallFailures {
  private static final int MAX_CHARS = 2_000;

  private record Kind(
      Class<? extends StablecutException> type, Function<String, StablecutException> make) {}

  /** The exceptions by their numbers, which never change; the first five represent the groups. */
  private static final List<Kind> KINDS =
      List.of(
          new Kind(RequestRefusedException.class, text -> new RequestRefusedException(text, null)),
          new Kind(ServerBusyException.class, text -> new ServerBusyException(text, null)),
          new Kind(
              ServerUnavailableException.class, text -> new ServerUnavailableException(text, null)),
          new Kind(CorruptStoreException.class, CorruptStoreException::new),
          new Kind(OutcomeUnknownException.class, OutcomeUnknownException::new),
          new Kind(ConflictException.class, ConflictException::new),
          new Kind(LimitExceededException.class, LimitExceededException::new),
          new Kind(PartitionUnavailableException.class, PartitionUnavailableException::new),
          new Kind(ReadTimeoutException.class, ReadTimeoutException::new),
          new Kind(SessionExpiredException.class, SessionExpiredException::new),
          new Kind(SnapshotTruncatedException.class, SnapshotTruncatedException::new),
          new Kind(StaleRequestException.class, StaleRequestException::new),
          new Kind(TransactionExpiredException.class, TransactionExpiredException::new),
          new Kind(TransactionTimeoutException.class, TransactionTimeoutException::new),
          new Kind(TransactionEndedException.class, TransactionEndedException::new),
          new Kind(NestedTransactionOpenException.class, NestedTransactionOpenException::new),
          new Kind(TypeMismatchException.class, TypeMismatchException::new),
          new Kind(UnknownSnapshotException.class, UnknownSnapshotException::new),
          new Kind(InvalidTokenException.class, InvalidTokenException::new),
          new Kind(OperationRefusedException.class, OperationRefusedException::new),
          new Kind(DiskFullException.class, DiskFullException::new),
          new Kind(CheckpointBacklogException.class, CheckpointBacklogException::new),
          new Kind(HookTimeoutException.class, HookTimeoutException::new),
          new Kind(HookFailedException.class, CallFailures::hook),
          new Kind(TrimmedException.class, TrimmedException::new),
          new Kind(StoreIoException.class, StoreIoException::new),
          new Kind(RequestMismatchException.class, RequestMismatchException::new),
          new Kind(ReplicationRefusedException.class, ReplicationRefusedException::new));

  private static final int USAGE = 0;
  private static final int RETRY = 1;
  private static final int REOPEN = 2;
  private static final int DAMAGE = 3;
  private static final int UNKNOWN_OUTCOME = 4;

  /** The number of {@link WatchOverflowException}, which has a position. */
  private static final int OVERFLOW = 100;

  /** The number of {@link MissingRightsException}, which has rights. */
  static final int MISSING_RIGHTS = 101;

  private CallFailures() {}

  private static StablecutException hook(String message) {
    return new HookFailedException(message, new ServerUnavailableException(message, null));
  }

  /** Encodes a failure. */
  public static Answer.Failed of(StablecutException failure) {
    String message = String.valueOf(failure.getMessage());
    String words = message.length() <= MAX_CHARS ? message : message.substring(0, MAX_CHARS) + "…";
    if (failure instanceof WatchOverflowException overflow) {
      return new Answer.Failed(OVERFLOW, words, Optional.of(overflow.position()), Optional.empty());
    } else if (failure instanceof MissingRightsException lacking) {
      Answer.MissingRights rights = new Answer.MissingRights(lacking.missing(), lacking.rights());
      return new Answer.Failed(MISSING_RIGHTS, words, Optional.empty(), Optional.of(rights));
    }
    return new Answer.Failed(number(failure), words);
  }

  private static int number(StablecutException failure) {
    if (failure instanceof JournalFailedException journal) {
      return journal.isUnwritten() ? REOPEN : UNKNOWN_OUTCOME;
    }
    for (int i = 0; i < KINDS.size(); i++) {
      if (KINDS.get(i).type.isInstance(failure)) {
        return i;
      }
    }
    if (failure instanceof UsageException) {
      return USAGE;
    } else if (failure instanceof RetryException) {
      return RETRY;
    } else if (failure instanceof DamageException) {
      return DAMAGE;
    }
    return REOPEN;
  }

  /** Decodes a failure to the exception that the client throws. */
  public static StablecutException exception(Answer.Failed failed) {
    Optional<CausalToken> position = failed.position();
    if (failed.failure() == OVERFLOW && position.isPresent()) {
      return new WatchOverflowException(failed.message(), position.get());
    }
    if (failed.rights().isPresent()) {
      Answer.MissingRights rights = failed.rights().get();
      return new MissingRightsException(failed.message(), rights.missing(), rights.rights());
    }
    int number = failed.failure() < KINDS.size() ? failed.failure() : REOPEN;
    return KINDS.get(number).make.apply(failed.message());
  }
}
