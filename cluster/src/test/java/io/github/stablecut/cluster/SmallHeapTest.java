package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.WatchOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests that are allowed one by one, but together could fill a server's heap, do not exhaust it.
 */
final class SmallHeapTest {
  private static final int FRAMES = 40;
  private static final int UPDATES = 65_000;
  private static final int WATCHES = 40;
  private static final int VALUES = 40;
  private static final int WRITERS = 8;
  private static final int ROUNDS = 2;
  private static final int LARGE_WATCHES = 20;
  private static final int LARGE_CHANGES = 4;

  @TempDir private Path directory;

  private ServerProcess start() throws Exception {
    return ServerProcess.start(directory.resolve("data"), 0, "-Xmx256m");
  }

  private static void assertServes(ServerProcess server) throws Exception {
    try (Store store = connect(server)) {
      store.update(Key.counter("after", "all").increment());
      assertThat(store.read(Key.counter("after", "all"))).isEqualTo(1);
    }
    assertThat(server.terminate()).isZero();
    assertThat(String.join("\n", server.moreLines())).doesNotContain("OutOfMemoryError");
  }

  private static Store connect(ServerProcess server) {
    return Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
  }

  /**
   * Whether the call succeeded. Otherwise the refusal must have a reason other than a lack of
   * memory.
   */
  private static boolean isDone(Answer answer) {
    if (answer instanceof Answer.Failed failed) {
      assertThat(CallFailures.exception(failed))
          .isInstanceOf(RetryException.class)
          .hasMessageNotContaining("its log has the reason");
      return false;
    }
    return true;
  }

  @Test
  void manyFramesOfManyUpdatesWaitForEachOther() throws Exception {
    List<Update> updates = new ArrayList<>();
    for (int i = 0; i < UPDATES; i++) {
      updates.add(Key.counter("b", "k" + i % 100).increment());
    }
    List<RawCalls> clients = new ArrayList<>();
    try (ServerProcess server = start()) {
      ExecutorService senders = Executors.newFixedThreadPool(FRAMES);
      try {
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < FRAMES; i++) {
          RawCalls client = new RawCalls(server.address(), "127.0.0.1");
          clients.add(client);
          all.add(
              CompletableFuture.supplyAsync(
                  () -> isDone(call(client, new Call.Write(updates))), senders));
        }
        assertThat(all.stream().filter(CompletableFuture::join).count()).isPositive();
      } finally {
        senders.shutdown();
        for (RawCalls client : clients) {
          client.close();
        }
      }
      assertServes(server);
    }
  }

  private static Answer call(RawCalls client, Call call) {
    try {
      return client.call(call);
    } catch (IOException e) {
      throw new AssertionError("the server has not answered", e);
    }
  }

  @Test
  void watchesOfEverythingReceiveItInParts() throws Exception {
    List<RawCalls> clients = new ArrayList<>();
    try (ServerProcess server = start()) {
      CausalToken begin;
      try (Store store = connect(server)) {
        begin = store.update(Key.counter("wm", "c").increment());
        for (int i = 0; i < VALUES; i++) {
          store.update(
              Key.register("wm", "r" + i % 4, Codec.bytes())
                  .assign(Bytes.wrap(new byte[1_000_000])));
        }
      }
      List<Bytes> watches = new ArrayList<>();
      for (int i = 0; i < WATCHES; i++) {
        RawCalls client = new RawCalls(server.address(), "127.0.0.1");
        clients.add(client);
        Answer opened =
            client.call(
                new Call.OpenWatch(
                    Bytes.utf8("wm"),
                    Bytes.EMPTY,
                    WatchOptions.after(begin).buffer(1_000_000).withEffects()));
        watches.add(((Answer.OpenedHandle) opened).descriptor());
      }
      for (int i = 0; i < WATCHES; i++) {
        clients.get(i).send(new Call.Take(watches.get(i), Integer.MAX_VALUE, 1_000));
      }
      for (RawCalls client : clients) {
        Answer answer = client.receive();
        if (isDone(answer)) {
          assertThat(((Answer.Changes) answer).changes()).hasSize(1);
        }
      }
      for (RawCalls client : clients) {
        client.close();
      }
      assertServes(server);
    }
  }

  @Test
  void manyWatchesOfOneClientCatchUpOverLargeChanges() throws Exception {
    try (ServerProcess server = start()) {
      ExecutorService watchers = Executors.newFixedThreadPool(LARGE_WATCHES);
      try (Store store = connect(server)) {
        CausalToken begin = store.update(Key.counter("wl", "c").increment());
        var key = Key.register("wl", "r", Codec.bytes());
        for (int i = 0; i < LARGE_CHANGES; i++) {
          retry(() -> store.update(key.assign(Bytes.wrap(new byte[14 << 20]))));
        }
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < LARGE_WATCHES; i++) {
          all.add(CompletableFuture.runAsync(() -> catchUp(store, begin), watchers));
        }
        all.forEach(CompletableFuture::join);
      } finally {
        watchers.shutdown();
      }
      assertServes(server);
    }
  }

  private static void catchUp(Store store, CausalToken begin) {
    try (Watch watch = store.watch("wl", "", WatchOptions.after(begin).withEffects())) {
      for (int changes = 0; changes < LARGE_CHANGES; ) {
        changes += watch.poll(Duration.ofSeconds(10)).isPresent() ? 1 : 0;
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void largeRegistersOfManyWritersWaitForEachOther() throws Exception {
    try (ServerProcess server = start()) {
      ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
      try (Store store = connect(server)) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
          int number = i;
          all.add(CompletableFuture.runAsync(() -> write(store, number), writers));
        }
        all.forEach(CompletableFuture::join);
      } finally {
        writers.shutdown();
      }
      assertServes(server);
    }
  }

  private static void write(Store store, int number) {
    var key = Key.register("large", "r" + number, Codec.bytes());
    for (int round = 1; round <= ROUNDS; round++) {
      byte[] value = new byte[15_000_000];
      value[0] = (byte) round;
      retry(() -> store.update(key.assign(Bytes.wrap(value))));
      retry(() -> assertThat(store.read(key).orElseThrow().at(0)).isEqualTo(value[0]));
    }
  }

  /** Retries after refusals. */
  private static void retry(Runnable action) {
    while (true) {
      try {
        action.run();
        return;
      } catch (ServerUnavailableException e) {
        throw new AssertionError("the server has stopped", e);
      } catch (RetryException e) {
        Thread.onSpinWait();
      }
    }
  }
}
