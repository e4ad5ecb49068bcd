package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Pin;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;

/**
 * A pin on a server. If the server loses the pin or becomes unreachable, the client pins the same
 * point again there or at another server. If the point was truncated meanwhile, reads fail.
 * Thread-safe.
 */
final class RemotePin extends RemoteSnapshot implements Pin {
  private final RemoteStore store;

  /** The current pin. */
  @GuardedBy("this")
  private PinHandle held;

  @GuardedBy("this")
  private boolean isClosed;

  /** A handle and its server. */
  private record PinHandle(ServerPool server, Bytes descriptor) {}

  /**
   * Pins a point.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if the point is no longer readable
   */
  static RemotePin of(RemoteStore store, CausalToken token) {
    RemotePin pin = new RemotePin(store, token, hold(store, token));
    pin.keep();
    return pin;
  }

  private RemotePin(RemoteStore store, CausalToken token, PinHandle held) {
    super(store, token);
    this.store = store;
    this.held = held;
  }

  private static PinHandle hold(RemoteStore store, CausalToken token) {
    Servers.ServerAnswer<Answer> held = store.servers().callAt(new Call.OpenPoint(token, true));
    Answer.OpenedHandle openedHandle = RemoteValues.as(Answer.OpenedHandle.class, held.answer());
    return new PinHandle(held.server(), openedHandle.descriptor());
  }

  private synchronized void keep() {
    if (!isClosed) {
      store.keepAlive().add(held.server, held.descriptor, this::lost);
    }
  }

  /**
   * Pins the point again after the server may have lost it. The old server is not notified: if it
   * is unreachable, that would delay the renewal of other pins, and the unrenewed pin expires
   * there.
   */
  private void lost() {
    PinHandle again;
    try {
      again = hold(store, token());
    } catch (ServerUnavailableException e) {
      throw e;
    } catch (StablecutException e) {
      // The next renewal retries; if the point was truncated, reads fail.
      return;
    }
    synchronized (this) {
      if (!isClosed) {
        store.keepAlive().remove(held.server, held.descriptor);
        held = again;
        keep();
        return;
      }
    }
    store.letGo(again.server, again.descriptor);
  }

  @Override
  public void close() {
    PinHandle last;
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
      last = held;
    }
    store.letGo(last.server, last.descriptor);
  }
}
