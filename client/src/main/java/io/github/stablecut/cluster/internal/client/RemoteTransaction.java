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

/** A transaction on a server, possibly nested in another. Confined to one thread at a time. */
final class RemoteTransaction implements Transaction {
  private final RemoteStore store;
  private final ServerPool server;
  private final Call.TransactionRef inside;
  private final CausalToken snapshot;

  /** The enclosing transaction. */
  private final Optional<RemoteTransaction> outer;

  private Optional<RemoteTransaction> nested = Optional.empty();
  private boolean ended;

  /**
   * Whether the server was silent or unreachable; recorded in the outermost transaction, whose end
   * then does not wait for the server.
   */
  private boolean isAway;

  /** Number of changes in the entire transaction; counted in the outermost one. */
  private long changes;

  /** The change count at each object's last change; kept in the outermost transaction. */
  private final NavigableMap<Bytes, Long> changed = new TreeMap<>();

  /** Whether a scan has begun: changes are tracked only from then on. */
  private boolean hasScans;

  private RemoteTransaction(
      RemoteStore store,
      ServerPool server,
      Call.TransactionRef inside,
      CausalToken snapshot,
      Optional<RemoteTransaction> outer) {
    this.store = store;
    this.server = server;
    this.inside = inside;
    this.snapshot = snapshot;
    this.outer = outer;
  }

  static RemoteTransaction begun(
      RemoteStore store, ServerPool server, Answer.OpenedHandle openedHandle) {
    Bytes descriptor = openedHandle.descriptor();
    store.keepAlive().add(server, descriptor);
    return new RemoteTransaction(
        store, server, new Call.TransactionRef(descriptor, 0), openedHandle.at(), Optional.empty());
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

  /** Makes a call in this transaction. */
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

  /** Records that the server is silent or unreachable. */
  void away() {
    outermost().isAway = true;
  }

  @Override
  public Transaction begin() {
    checkUsable();
    RemoteValues.done(call(new Call.BeginNested(inside)));
    RemoteTransaction inner =
        new RemoteTransaction(
            store,
            server,
            new Call.TransactionRef(inside.descriptor(), inside.depth() + 1),
            snapshot,
            Optional.of(this));
    nested = Optional.of(inner);
    return inner;
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
    // The objects that the nested transaction changed have their earlier values again.
    outermost.changed.replaceAll((id, before) -> outermost.changes);
    ended();
    RemoteValues.done(call(new Call.End(inside, ending)));
  }

  /** Marks the transaction as ended in the client, whatever the server answers. */
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
        // The server has ended the transaction, or its idle timeout will.
      }
    }
  }

  private RemoteTransaction outermost() {
    return outer.map(RemoteTransaction::outermost).orElse(this);
  }

  ServerPool server() {
    return server;
  }

  Call.TransactionRef inside() {
    return inside;
  }

  /** A number that changes whenever the transaction's view may have changed. */
  long changes() {
    return outermost().changes;
  }

  /** The value of {@link #changes} at an object's last change; 0 if no scan had begun before. */
  long changed(Bytes id) {
    return outermost().changed.getOrDefault(id, 0L);
  }

  /**
   * The first object in a part of a range that was changed after {@link #changes} had a value.
   *
   * @param after the object before the part, in the scan's order; empty for the range's beginning
   * @param before the object after the part; empty for the range's end
   */
  Optional<Bytes> changedIn(
      ScanOptions range, Optional<Bytes> after, Optional<Bytes> before, long sinceChange) {
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
        .filter(entry -> entry.getValue() > sinceChange)
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
          "the transaction can't be used or ended while a nested one is open:"
              + " commit or abort the innermost first");
    }
  }
}
