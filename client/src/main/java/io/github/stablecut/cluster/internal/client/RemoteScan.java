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
 * A scan on a server, page by page. A range scan at a point survives the loss of its server: it
 * resumes at another one after the last object. It also resumes after the server refused a page,
 * because the server may have moved past undelivered objects. Confined to one thread.
 */
final class RemoteScan implements Scan {
  private static final int PAGE_BYTES = 256 << 10;

  /** Number of restarts without a page after which the failure is reported. */
  private static final int MAX_BEGINNINGS = 3;

  private final RemoteStore store;
  private final Optional<RemoteTransaction> transaction;
  private final Optional<CausalToken> at;
  private final Optional<ScanOptions> range;

  private final Deque<PrefetchedObject> page = new ArrayDeque<>();
  private @Nullable RemoteStream stream;

  /** Number of restarts since the last page arrived. */
  private int beginnings;

  private VectorClock snapshot;
  private boolean isLast;
  private boolean isClosed;

  /** The id of the last object that was returned. */
  private Optional<Bytes> last = Optional.empty();

  /** The id of the last object that was returned, or that was due and no longer exists. */
  private Optional<Bytes> looked = Optional.empty();

  private boolean hasDropped;

  /** The number of distinct objects returned. */
  private long found;

  /** The transaction's change count when the last page was made. */
  private long madeAt;

  /**
   * A prefetched object.
   *
   * @param madeAt the transaction's change count at that time
   */
  private record PrefetchedObject(Answer.ScannedObject object, long madeAt) {
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
      // No caller has the scan, so nobody else closes it.
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
    Servers.ServerAnswer<Answer> opened =
        transaction
            .map(inside -> new Servers.ServerAnswer<>(inside.server(), inside.call(call)))
            .orElseGet(() -> store.servers().callAt(call));
    Answer.OpenedHandle openedHandle = RemoteValues.as(Answer.OpenedHandle.class, opened.answer());
    snapshot = openedHandle.at().vector();
    RemoteStream opening = new RemoteStream(store, opened.server(), openedHandle.descriptor());
    stream = opening;
    beginnings++;
    askAhead(opening);
  }

  /**
   * Requests the next page while the user consumes the current one. Only a scan that can resume
   * does so, because a server closes a connection whose client does not read an answer for too
   * long.
   */
  private void askAhead(RemoteStream from) {
    if (canGoOn()) {
      from.ask(PAGE_BYTES, 0);
    }
  }

  /** Whether the scan can resume at another server. */
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

  /** Whether the limit is reached and the next object has another id than the last one. */
  private boolean isAtLimit() {
    return range.filter(all -> found >= all.limit()).isPresent()
        && (page.isEmpty() || !last.equals(Optional.of(page.getFirst().id())));
  }

  /**
   * An object between the last one and the next that the transaction has changed since the server
   * skipped it, perhaps because it had its initial value then.
   */
  private Optional<Bytes> passed() {
    Optional<Bytes> next = Optional.ofNullable(page.peekFirst()).map(PrefetchedObject::id);
    long since = page.isEmpty() ? madeAt : page.getFirst().madeAt;
    return transaction.flatMap(
        inside -> inside.changedIn(range.orElseThrow(), looked, next, since));
  }

  /**
   * Inserts a skipped object if the snapshot has it; the scan does not return newly written ones.
   */
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

  /** Whether the server stopped at the limit and counted objects that no longer exist. */
  private boolean lacksSome() {
    return hasDropped
        && range
            .filter(all -> all.limit() != ScanOptions.NO_LIMIT && found < all.limit())
            .isPresent();
  }

  /** Whether the transaction has changed a prefetched object since the server read it. */
  private boolean isOutdated(PrefetchedObject ahead) {
    return !last.equals(Optional.of(ahead.id()))
        && transaction.filter(of -> of.changed(ahead.id()) > ahead.madeAt).isPresent();
  }

  /** Replaces the next object by what the transaction sees now. */
  private void makeAgain(Bytes id) {
    ScanOptions only = ScanOptions.ofIds(id, id.successor());
    boolean isKeysOnly = range.filter(ScanOptions::isKeysOnly).isPresent();
    List<PrefetchedObject> made = new ArrayList<>();
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
                + "; the objects found so far are valid, but the scan is incomplete: begin another",
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

  /** Adds a page. The server read the page's first object when it made the previous page. */
  private void add(List<Answer.ScannedObject> objects) {
    long currentChanges = changes();
    for (Answer.ScannedObject object : objects) {
      boolean isFirst = object.id().equals(objects.get(0).id());
      page.addLast(new PrefetchedObject(object, isFirst ? madeAt : currentChanges));
    }
    madeAt = currentChanges;
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
                    "the scan failed after the objects found so far: begin another"));
    isLast = found >= all.limit();
    if (!isLast) {
      begin(Optional.of(left(last)));
    }
  }

  /** The rest of the range after an object. */
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
    Answer.ScannedObject next = page.remove().object;
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
