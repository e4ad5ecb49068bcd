package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.StoredObject;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.UnreadableValue;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.ScanOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A scan on a server, page by page. If its server goes, one of a range at a point goes on at
 * another, behind the last object; so does one of a range after a refusal, once it is used again,
 * because the server may have gone past what was to be found. Confined to one thread.
 */
final class RemoteScan implements Scan {
  private static final int PAGE_BYTES = 256 << 10;

  /** It is begun so often for one page before the user is told why it does not come. */
  private static final int MAX_BEGINNINGS = 3;

  private final RemoteStore store;
  private final Optional<RemoteTransaction> transaction;
  private final Optional<CausalToken> at;
  private final Optional<ScanOptions> range;

  private final Deque<Ahead> page = new ArrayDeque<>();
  private @Nullable RemoteStream stream;

  /** How often it was begun on a server since a page has come. */
  private int beginnings;

  private VectorClock snapshot;
  private boolean isLast;
  private boolean isClosed;

  /** The id of the object that was found last. */
  private Optional<Bytes> last = Optional.empty();

  /** The id of the last object that was found, or was to be and is not there any more. */
  private Optional<Bytes> looked = Optional.empty();

  private boolean hasDropped;

  /** How many different objects were found. */
  private long found;

  /** What the transaction had changed when the last page was made. */
  private long madeAt;

  /**
   * An object that was found and is not used yet.
   *
   * @param madeAt what the transaction had changed then
   */
  private record Ahead(Answer.Found object, long madeAt) {
    Bytes id() {
      return object.id();
    }
  }

  private RemoteScan(
      RemoteStore store,
      Optional<RemoteTransaction> transaction,
      Optional<CausalToken> at,
      Optional<ScanOptions> range) {
    this.store = store;
    this.transaction = transaction;
    this.at = at;
    this.range = range;
    this.snapshot = VectorClock.ZERO;
    try {
      begin(range);
    } catch (RuntimeException | Error e) {
      // Nobody has it, to close it.
      close();
      throw e;
    }
  }

  static RemoteScan at(RemoteStore store, CausalToken at, Optional<ScanOptions> range) {
    return new RemoteScan(store, Optional.empty(), Optional.of(at), range);
  }

  static RemoteScan in(RemoteStore store, RemoteTransaction transaction, ScanOptions range) {
    return new RemoteScan(store, Optional.of(transaction), Optional.empty(), Optional.of(range));
  }

  private void begin(Optional<ScanOptions> left) {
    Call call = new Call.OpenScan(transaction.map(RemoteTransaction::inside), at, left);
    madeAt = changes();
    Servers.At<Answer> opened =
        transaction
            .map(inside -> new Servers.At<>(inside.server(), inside.call(call)))
            .orElseGet(() -> store.servers().callAt(call));
    Answer.Begun begun = RemoteValues.as(Answer.Begun.class, opened.answer());
    snapshot = begun.at().vector();
    RemoteStream opening = new RemoteStream(store, opened.server(), begun.descriptor());
    stream = opening;
    beginnings++;
    askAhead(opening);
  }

  /**
   * Asks for the next page while the last one is used, if what would be lost by that can be had
   * again: a server ends a connection on which an answer is not taken for too long.
   */
  private void askAhead(RemoteStream from) {
    if (canGoOn()) {
      from.ask(PAGE_BYTES, 0);
    }
  }

  /** Whether it can go on at another server. */
  private boolean canGoOn() {
    return transaction.isEmpty() && range.isPresent();
  }

  private long changes() {
    return transaction.map(RemoteTransaction::changes).orElse(0L);
  }

  @Override
  public boolean hasNext() {
    if (isClosed) {
      throw new IllegalStateException("the scan is closed: begin another");
    }
    store.checkOpen();
    transaction.ifPresent(RemoteTransaction::checkUsable);
    while (true) {
      while (page.isEmpty() && !isLast) {
        takePage();
      }
      if (isAtLimit()) {
        return false;
      }
      Optional<Bytes> passed = passed();
      if (passed.isPresent()) {
        lookAgain(passed.get());
      } else if (page.isEmpty() && lacksSome()) {
        hasDropped = false;
        isLast = false;
        begin(Optional.of(left(looked)));
      } else if (page.isEmpty() || !isOutdated(page.getFirst())) {
        return !page.isEmpty();
      } else {
        makeAgain(page.getFirst().id());
      }
    }
  }

  /** Whether what comes next is one more than there may be, behind some that were passed over. */
  private boolean isAtLimit() {
    return range.filter(all -> found >= all.limit()).isPresent()
        && (page.isEmpty() || !last.equals(Optional.of(page.getFirst().id())));
  }

  /**
   * An object between the last one and the next that the transaction has changed since the server
   * passed it over, perhaps because it was as at first then.
   */
  private Optional<Bytes> passed() {
    Optional<Bytes> next = Optional.ofNullable(page.peekFirst()).map(Ahead::id);
    long since = page.isEmpty() ? madeAt : page.getFirst().madeAt;
    return transaction.flatMap(
        inside -> inside.changedIn(range.orElseThrow(), looked, next, since));
  }

  /** Finds an object that is one of the snapshot's; what is only put ahead is not. */
  private void lookAgain(Bytes id) {
    Optional<ScanOptions> only = Optional.of(ScanOptions.ofIds(id, id.successor()).keysOnly());
    Optional<CausalToken> point = transaction.map(RemoteTransaction::snapshot);
    try (RemoteScan before = new RemoteScan(store, Optional.empty(), point, only)) {
      looked = before.hasNext() ? looked : Optional.of(id);
    }
    if (!looked.equals(Optional.of(id))) {
      makeAgain(id);
    }
  }

  /** Whether the server may have stopped at the limit for some that are not there any more. */
  private boolean lacksSome() {
    return hasDropped
        && range
            .filter(all -> all.limit() != ScanOptions.NO_LIMIT && found < all.limit())
            .isPresent();
  }

  /** Whether the transaction has changed an object since it was found, and it is not used yet. */
  private boolean isOutdated(Ahead ahead) {
    return !last.equals(Optional.of(ahead.id()))
        && transaction.filter(of -> of.changed(ahead.id()) > ahead.madeAt).isPresent();
  }

  /** Finds the object that comes next as the transaction sees it now. */
  private void makeAgain(Bytes id) {
    ScanOptions only = ScanOptions.ofIds(id, id.successor());
    boolean isKeysOnly = range.filter(ScanOptions::isKeysOnly).isPresent();
    List<Ahead> made = new ArrayList<>();
    try (RemoteScan again =
        new RemoteScan(store, transaction, at, Optional.of(isKeysOnly ? only.keysOnly() : only))) {
      while (again.hasNext()) {
        made.add(again.page.remove());
      }
    }
    page.removeIf(ahead -> ahead.id().equals(id));
    for (int i = made.size() - 1; i >= 0; i--) {
      page.addFirst(made.get(i));
    }
    if (made.isEmpty()) {
      hasDropped = true;
      looked = Optional.of(id);
    }
  }

  private void takePage() {
    RemoteStream taken = stream;
    if (taken == null) {
      beginBehindLast();
      return;
    }
    try {
      taken.ask(PAGE_BYTES, 0);
      Answer.Page next = taken.take(Answer.Page.class);
      add(next.objects());
      beginnings = 0;
      isLast = next.isLast();
      if (isLast) {
        endStream();
      } else {
        askAhead(taken);
      }
    } catch (ServerUnavailableException e) {
      endStream();
      store.checkOpen();
      store.servers().avoid(taken.server());
      transaction.ifPresent(RemoteTransaction::away);
      if (!canGoOn()) {
        throw new ServerUnavailableException(
            e.getMessage()
                + "; what the scan has found so far is right, and more would be missing: begin another one",
            e);
      }
      goOn(e);
    } catch (TransactionExpiredException e) {
      endStream();
      goOn(e);
    } catch (RuntimeException | Error e) {
      endStream();
      throw e;
    }
  }

  /** Adds a page. The server has looked at its first object when it made the page before. */
  private void add(List<Answer.Found> objects) {
    long now = changes();
    for (Answer.Found object : objects) {
      boolean isFirst = object.id().equals(objects.get(0).id());
      page.addLast(new Ahead(object, isFirst ? madeAt : now));
    }
    madeAt = now;
  }

  private void goOn(StablecutException failure) {
    if (!canGoOn() || beginnings >= MAX_BEGINNINGS) {
      throw failure;
    }
    beginBehindLast();
  }

  private void beginBehindLast() {
    endStream();
    ScanOptions all =
        range.orElseThrow(
            () ->
                new IllegalStateException(
                    "the scan has failed behind what it has found so far: begin another"));
    isLast = found >= all.limit();
    if (!isLast) {
      begin(Optional.of(left(last)));
    }
  }

  /** What is left of the range behind an object. */
  private ScanOptions left(Optional<Bytes> behind) {
    ScanOptions all = range.orElseThrow();
    ScanOptions left = all.limit() == ScanOptions.NO_LIMIT ? all : all.limit(all.limit() - found);
    return behind.map(id -> left.after(Key.keyOf(id))).orElse(left);
  }

  private void endStream() {
    RemoteStream ended = stream;
    stream = null;
    if (ended != null) {
      ended.close();
    }
  }

  @Override
  public StoredObject next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the scan is at its end");
    }
    Answer.Found next = page.remove().object;
    if (!last.equals(Optional.of(next.id()))) {
      found++;
      last = Optional.of(next.id());
      looked = last;
    }
    CrdtType<?, ?, ?, ?> type = next.type();
    return next.state()
        .map(state -> StoredObject.of(next.id(), type, value(type, state)))
        .orElseGet(() -> StoredObject.withoutValue(next.id(), type));
  }

  private Object value(CrdtType<?, ?, ?, ?> type, Bytes state) {
    return UnreadableValue.valueOf(type, RemoteValues.state(type, state), snapshot);
  }

  @Override
  public void close() {
    isClosed = true;
    endStream();
  }
}
