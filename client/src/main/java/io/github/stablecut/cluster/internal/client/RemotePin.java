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
 * A point that a server keeps readable. If the server does not know of it any more, or can't be
 * asked, another one keeps it, or the same again, as soon as that is found out; if the point was
 * forgotten meanwhile, reads say so. Thread-safe.
 */
final class RemotePin extends RemoteSnapshot implements Pin {
  private final RemoteStore store;

  /** Who keeps it. */
  @GuardedBy("this")
  private Held held;

  @GuardedBy("this")
  private boolean isClosed;

  /** What a server keeps, and its name there. */
  private record Held(ServerPool server, Bytes descriptor) {}

  /**
   * Has a point kept.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is not kept any more
   */
  static RemotePin of(RemoteStore store, CausalToken token) {
    RemotePin pin = new RemotePin(store, token, hold(store, token));
    pin.keep();
    return pin;
  }

  private RemotePin(RemoteStore store, CausalToken token, Held held) {
    super(store, token);
    this.store = store;
    this.held = held;
  }

  private static Held hold(RemoteStore store, CausalToken token) {
    Servers.At<Answer> held = store.servers().callAt(new Call.Hold(token, true));
    Answer.Begun begun = RemoteValues.as(Answer.Begun.class, held.answer());
    return new Held(held.server(), begun.descriptor());
  }

  private synchronized void keep() {
    if (!isClosed) {
      store.keepAlive().add(held.server, held.descriptor, this::lost);
    }
  }

  /**
   * Nobody may keep it now. Whoever has kept it is not told: if he can't be asked, that would only
   * delay the other pins, and what he hears nothing about he lets go of.
   */
  private void lost() {
    Held again;
    try {
      again = hold(store, token());
    } catch (ServerUnavailableException e) {
      throw e;
    } catch (StablecutException e) {
      // It is tried again; if the point is not kept any more, reads say so.
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
    Held last;
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
