package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.NestedTransactionOpenException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A transaction on a server, or one that is nested in another. Confined to one thread at a time.
 */
final class RemoteTransaction implements Transaction {
  private final RemoteStore store;
  private final ServerPool server;
  private final Call.Inside inside;
  private final CausalToken snapshot;

  /** The one that this one is nested in. */
  private final Optional<RemoteTransaction> outer;

  private Optional<RemoteTransaction> nested = Optional.empty();
  private boolean ended;

  /**
   * Whether the server was found silent or away in the whole transaction, which is noted by the
   * outermost: its end waits for it no more.
   */
  private boolean isAway;

  /** How often something was changed in the whole transaction; counted by the outermost. */
  private long changes;

  /** The changes by which each object was changed last; the outermost has those of all. */
  private final NavigableMap<Bytes, Long> changed = new TreeMap<>();

  /** Only scans ask what was changed, and only about what was since they began. */
  private boolean hasScans;

  private RemoteTransaction(
      RemoteStore store,
      ServerPool server,
      Call.Inside inside,
      CausalToken snapshot,
      Optional<RemoteTransaction> outer) {
    this.store = store;
    this.server = server;
    this.inside = inside;
    this.snapshot = snapshot;
    this.outer = outer;
  }

  static RemoteTransaction begun(RemoteStore store, ServerPool server, Answer.Begun begun) {
    Bytes descriptor = begun.descriptor();
    store.keepAlive().add(server, descriptor);
    return new RemoteTransaction(
        store, server, new Call.Inside(descriptor, 0), begun.at(), Optional.empty());
  }

  @Override
  public <V> V read(Query<V> query) {
    return read(List.of(query)).get(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    checkUsable();
    List<Query<?>> ordered = List.copyOf(queries);
    if (ordered.isEmpty()) {
      return RemoteValues.none(snapshot);
    }
    return RemoteValues.of(ordered, call(new Call.ReadIn(inside, ordered)));
  }

  @Override
  public Scan scan(ScanOptions options) {
    checkUsable();
    outermost().hasScans = true;
    return RemoteScan.in(store, this, options);
  }

  @Override
  public void update(Update... updates) {
    checkUsable();
    List<Update> all = List.of(updates);
    RemoteTransaction outermost = outermost();
    outermost.changes++;
    if (outermost.hasScans) {
      all.forEach(update -> outermost.changed.put(update.key().id(), outermost.changes));
    }
    RemoteValues.done(call(new Call.WriteIn(inside, all)));
  }

  /** Makes a call in it. */
  Answer call(Call call) {
    try {
      return server.call(call);
    } catch (ServerUnavailableException e) {
      away();
      store.servers().avoid(server);
      throw e;
    } catch (StablecutException e) {
      store.servers().refused(server, e);
      throw e;
    }
  }

  /** Its server was found silent or away. */
  void away() {
    outermost().isAway = true;
  }

  @Override
  public Transaction begin() {
    checkUsable();
    RemoteValues.done(call(new Call.Nest(inside)));
    RemoteTransaction begun =
        new RemoteTransaction(
            store,
            server,
            new Call.Inside(inside.descriptor(), inside.depth() + 1),
            snapshot,
            Optional.of(this));
    nested = Optional.of(begun);
    return begun;
  }

  @Override
  public CausalToken commit() {
    checkCommit();
    return committed();
  }

  private void checkCommit() {
    checkUsable();
    store.checkCall();
    ended();
  }

  private CausalToken committed() {
    Answer answer = call(new Call.End(inside, Call.Ending.COMMIT));
    if (outermost().changes > 0) {
      store.servers().served(server);
    }
    store.servers().saw(server, answer);
    return outer.isPresent() ? snapshot : RemoteValues.point(answer);
  }

  @Override
  public CompletionStage<CausalToken> commitAsync() {
    if (outer.isPresent()) {
      return CompletableFuture.completedStage(commit());
    }
    checkCommit();
    return store.async(this::committed);
  }

  @Override
  public void abort() {
    checkUsable();
    end(Call.Ending.ABORT);
  }

  private void end(Call.Ending ending) {
    RemoteTransaction outermost = outermost();
    outermost.changes++;
    // What the nested one has changed is as it was before.
    outermost.changed.replaceAll((id, before) -> outermost.changes);
    ended();
    RemoteValues.done(call(new Call.End(inside, ending)));
  }

  /** It is known here that it has ended, whatever the server says. */
  private void ended() {
    ended = true;
    nested.ifPresent(RemoteTransaction::ended);
    nested = Optional.empty();
    outer.ifPresent(enclosing -> enclosing.nested = Optional.empty());
    if (outer.isEmpty()) {
      store.keepAlive().remove(server, inside.descriptor());
    }
  }

  @Override
  public CausalToken snapshot() {
    return snapshot;
  }

  @Override
  public void close() {
    if (!ended && outermost().isAway) {
      ended();
      if (outer.isEmpty()) {
        store.keepAlive().end(server, new Call.End(inside, Call.Ending.CLOSE));
      }
    } else if (!ended) {
      try {
        end(Call.Ending.CLOSE);
      } catch (StablecutException e) {
        // Whatever is said, it is not open any more, or ends when it was idle for too long.
      }
    }
  }

  private RemoteTransaction outermost() {
    return outer.map(RemoteTransaction::outermost).orElse(this);
  }

  ServerPool server() {
    return server;
  }

  Call.Inside inside() {
    return inside;
  }

  /** Another number each time when what it sees may have changed. */
  long changes() {
    return outermost().changes;
  }

  /** What {@link #changes} was when an object changed last; 0 if no scan had begun before. */
  long changed(Bytes id) {
    return outermost().changed.getOrDefault(id, 0L);
  }

  /**
   * The object of a part of a range that was changed after {@link #changes} had a value and comes
   * first.
   *
   * @param after the object before the part, in the order of the scan; empty from its beginning
   * @param before the object behind the part; empty to its end
   */
  Optional<Bytes> changedIn(
      ScanOptions range, Optional<Bytes> after, Optional<Bytes> before, long since) {
    NavigableMap<Bytes, Long> part = outermost().changed;
    boolean isSameObject = after.isPresent() && after.equals(before);
    if (part.isEmpty() || isSameObject || range.fromId().compareTo(range.untilId()) >= 0) {
      return Optional.empty();
    }
    part = part.subMap(range.fromId(), true, range.untilId(), false);
    part = range.isDescending() ? part.descendingMap() : part;
    part = before.isPresent() ? part.headMap(before.get(), false) : part;
    part = after.isPresent() ? part.tailMap(after.get(), false) : part;
    return part.entrySet().stream()
        .filter(entry -> entry.getValue() > since)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  void checkUsable() {
    store.checkOpen();
    if (ended) {
      throw new TransactionEndedException(
          outer.isPresent()
              ? "the nested transaction has ended: begin another"
              : "the transaction has ended: begin another");
    }
    if (nested.isPresent()) {
      throw new NestedTransactionOpenException(
          "the transaction can't be used or ended now, because one that is nested in it is open:"
              + " commit or abort the innermost first");
    }
  }
}
