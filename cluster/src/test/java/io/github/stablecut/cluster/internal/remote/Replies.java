package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.ReplyCodec;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A requester that records its replies. Thread-safe. */
public final class Replies implements Requester {
  private final List<Reply> all = new CopyOnWriteArrayList<>();

  /** Returns the replies, in order. */
  public List<Reply> all() {
    return all;
  }

  @Override
  public String name() {
    return "n2";
  }

  @Override
  public long run() {
    return 2;
  }

  @Override
  public String address() {
    return "127.0.0.1:2";
  }

  @Override
  public void reply(long number, long clock, Bytes reply, Consumer<Boolean> done) {
    all.add(ReplyCodec.decode(reply, Long.MAX_VALUE));
    done.accept(true);
  }

  @Override
  public void tellDriver(long driver, long clock, Bytes answer) {
    throw new AssertionError(driver);
  }
}
