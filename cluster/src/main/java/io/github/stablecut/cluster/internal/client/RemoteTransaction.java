package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.cluster.NotInProtocolException;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A transaction on a server. Confined to one thread at a time. */
final class RemoteTransaction implements Transaction {
  /** A descriptor of a Stablecut server ends with the clock of the snapshot. */
  private static final int DESCRIPTOR_BYTES = 16;

  private final RemoteStore store;
  private final ConnectionPool pool;
  private final Bytes descriptor;
  private boolean ended;

  RemoteTransaction(RemoteStore store, ConnectionPool pool, Bytes descriptor) {
    this.store = store;
    this.pool = pool;
    this.descriptor = descriptor;
  }

  @Override
  public <V> V read(Query<V> query) {
    return read(List.of(query)).get(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    checkOpen();
    List<Query<?>> ordered = List.copyOf(queries);
    Response response = pool.call(new Request.Read(RemoteObjects.objects(ordered), descriptor));
    if (response instanceof Response.Values values) {
      List<WireValue> wire = values.values();
      return RemoteObjects.values(ordered, wire, snapshot());
    }
    throw RemoteErrors.of(response);
  }

  @Override
  public Scan scan(ScanOptions options) {
    checkOpen();
    throw new NotInProtocolException(
        "the protocol can't carry scans: use the store in its own process");
  }

  @Override
  public void update(Update... updates) {
    checkOpen();
    Response response = pool.call(new Request.Update(RemoteObjects.updates(updates), descriptor));
    if (!(response instanceof Response.Done)) {
      throw RemoteErrors.of(response);
    }
  }

  @Override
  public Transaction begin() {
    checkOpen();
    throw new NotInProtocolException(
        "the protocol can't carry nested transactions, because it can't take updates back: use one transaction, or the store in its own process");
  }

  @Override
  public CausalToken commit() {
    checkOpen();
    ended = true;
    return RemoteStore.committed(pool.call(new Request.Commit(descriptor)));
  }

  @Override
  public CompletionStage<CausalToken> commitAsync() {
    checkOpen();
    ended = true;
    return store.async(() -> RemoteStore.committed(pool.call(new Request.Commit(descriptor))));
  }

  @Override
  public void abort() {
    checkOpen();
    ended = true;
    Response response = pool.call(new Request.Abort(descriptor));
    if (!(response instanceof Response.Done)) {
      throw RemoteErrors.of(response);
    }
  }

  @Override
  public CausalToken snapshot() {
    byte[] bytes = descriptor.toArray();
    int from = Math.min(DESCRIPTOR_BYTES, bytes.length);
    return RemoteObjects.token(Bytes.wrap(Arrays.copyOfRange(bytes, from, bytes.length)));
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      // Whatever the answer, it is not open any more, or will be aborted when it was idle for too
      // long.
      Response unused = pool.call(new Request.Abort(descriptor));
    }
  }

  private void checkOpen() {
    pool.checkOpen();
    if (ended) {
      throw new TransactionEndedException("the transaction has ended: begin another");
    }
  }
}
