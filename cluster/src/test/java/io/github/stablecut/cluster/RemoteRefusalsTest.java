package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.WatchOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server refuses a part of a scan or a watch whose position it has already passed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class RemoteRefusalsTest {
  private static final Answer BUSY =
      CallFailures.of(new ServerBusyException("injected: busy", null));

  private final Deque<Answer> parts = new ArrayDeque<>();

  private synchronized Optional<Answer> answer(Call call) {
    if (call instanceof Call.OpenWatch watch) {
      return opened(watch.options().after().orElse(ScriptedServer.point(0)));
    } else if (call instanceof Call.OpenScan || call instanceof Call.Begin) {
      return opened(ScriptedServer.point(0));
    } else if (call instanceof Call.Point) {
      return Optional.of(new Answer.Point(ScriptedServer.point(0)));
    } else if (call instanceof Call.Take) {
      return Optional.ofNullable(parts.poll());
    }
    return Optional.of(ScriptedServer.usual(call));
  }

  private static Optional<Answer> opened(CausalToken at) {
    return Optional.of(new Answer.OpenedHandle(Bytes.utf8("held"), at));
  }

  private static Key<?> key(int number) {
    return Key.counter("b", "k" + number);
  }

  private static Answer change(int number) {
    CausalToken point = ScriptedServer.point(number);
    Answer.ChangedObject object =
        new Answer.ChangedObject(key(number).id(), key(number).type(), List.of());
    return new Answer.Changes(List.of(new Answer.Change(point, point, List.of(object))), point);
  }

  private static Answer page(int number, boolean isLast) {
    return new Answer.Page(
        List.of(new Answer.ScannedObject(key(number).id(), key(number).type(), Optional.empty())),
        isLast);
  }

  private static String name(StoredObject object) {
    return object.key().toUtf8();
  }

  @Test
  void aRefusedWatchResumesAfterItsLastChange() throws Exception {
    parts.addAll(List.of(change(1), BUSY, change(2)));
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = Stablecut.connect(server.uri());
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      assertThat(watch.next().objects()).isEqualTo(List.of(key(1)));

      assertThat(watch.next().objects()).isEqualTo(List.of(key(2)));

      assertThat(server.calls(Call.OpenWatch.class))
          .extracting(call -> call.options().after())
          .containsExactly(Optional.empty(), Optional.of(ScriptedServer.point(1)));
    }
  }

  @Test
  void aPermanentlyRefusedWatchFailsAndResumesWhenUsedAgain() throws Exception {
    parts.addAll(
        List.of(
            change(1), CallFailures.of(new RequestRefusedException("injected", null)), change(2)));
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = Stablecut.connect(server.uri());
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      assertThat(watch.next().objects()).isEqualTo(List.of(key(1)));

      assertThatThrownBy(watch::next).isInstanceOf(RequestRefusedException.class);

      assertThat(watch.next().objects()).isEqualTo(List.of(key(2)));
      assertThat(server.calls(Call.OpenWatch.class).get(1).options().after())
          .isEqualTo(Optional.of(ScriptedServer.point(1)));
    }
  }

  @Test
  void aRefusedRangeScanResumesAfterItsLastObjectWhenUsedAgain() throws Exception {
    parts.addAll(List.of(page(1, false), BUSY, page(2, true)));
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = Stablecut.connect(server.uri());
        Transaction transaction = store.begin();
        Scan scan = transaction.scan(ScanOptions.bucket("b").keysOnly())) {
      assertThat(name(scan.next())).isEqualTo("k1");
      assertThatThrownBy(scan::hasNext).isInstanceOf(ServerBusyException.class);

      assertThat(name(scan.next())).isEqualTo("k2");
      assertThat(scan.hasNext()).isFalse();

      assertThat(server.calls(Call.OpenScan.class).get(1).range())
          .hasToString(
              Optional.of(ScanOptions.bucket("b").keysOnly().after(key(1).key())).toString());
    }
  }

  @Test
  void aRefusedScanOfAllObjectsReportsThatItIsIncomplete() throws Exception {
    parts.addAll(List.of(page(1, false), BUSY, page(2, true)));
    try (ScriptedServer server = new ScriptedServer(this::answer);
        Store store = Stablecut.connect(server.uri());
        Scan scan = store.snapshot().scan()) {
      assertThat(name(scan.next())).isEqualTo("k1");
      assertThatThrownBy(scan::hasNext).isInstanceOf(ServerBusyException.class);

      assertThatThrownBy(scan::hasNext)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("begin another");
    }
  }

  @Test
  void prefetchesOnePartOfAScan() throws Exception {
    parts.addAll(List.of(page(1, false), page(2, false), page(3, true)));
    try (ScriptedServer server = new ScriptedServer(this::answer)) {
      try (Store store = Stablecut.connect(server.uri());
          Scan scan = store.snapshot().scan(ScanOptions.bucket("b").keysOnly())) {
        assertThat(name(scan.next())).isEqualTo("k1");
      }

      server.awaitEnd();
      assertThat(server.calls(Call.Take.class)).hasSize(2);
    }
  }

  @Test
  void prefetchesNothingOfAWatch() throws Exception {
    parts.addAll(List.of(change(1), change(2)));
    try (ScriptedServer server = new ScriptedServer(this::answer)) {
      try (Store store = Stablecut.connect(server.uri());
          Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
        assertThat(watch.next().objects()).isEqualTo(List.of(key(1)));
      }

      server.awaitEnd();
      assertThat(server.calls(Call.Take.class)).hasSize(1);
    }
  }

  @Test
  void aScanThatCannotResumeElsewhereLeavesNoPageAtItsServer() throws Exception {
    parts.addAll(List.of(page(1, false), page(2, true)));
    try (ScriptedServer server = new ScriptedServer(this::answer)) {
      try (Store store = Stablecut.connect(server.uri());
          Scan scan = store.snapshot().scan()) {
        assertThat(name(scan.next())).isEqualTo("k1");
      }

      server.awaitEnd();
      assertThat(server.calls(Call.Take.class)).hasSize(1);
    }
  }

  @Test
  void aWatchResumesElsewhereWithoutCallsToItsSilentServer() throws Exception {
    parts.add(change(1));
    try (ScriptedServer silent =
            new ScriptedServer(
                call ->
                    call instanceof Call.OpenWatch
                        ? opened(ScriptedServer.point(0))
                        : call instanceof Call.Take || call instanceof Call.Close
                            ? Optional.empty()
                            : Optional.of(ScriptedServer.usual(call)));
        ScriptedServer other = new ScriptedServer(this::answer);
        Store store =
            Stablecut.connect(
                "stablecut://127.0.0.1:%d,127.0.0.1:%d?timeout=600"
                    .formatted(silent.address().getPort(), other.address().getPort()));
        Watch watch = store.watch("b", "", WatchOptions.fromNow())) {
      assertThat(watch.next().objects()).isEqualTo(List.of(key(1)));

      assertThat(silent.calls(Call.Close.class)).isEmpty();
      assertThat(other.calls(Call.OpenWatch.class)).hasSize(1);
    }
  }
}
