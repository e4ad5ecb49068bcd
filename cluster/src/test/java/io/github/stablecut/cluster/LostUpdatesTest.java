package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.ServerSettings.Transactions;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.option.Certification;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certification of transactions of AntidoteDB's clients prevents lost updates. */
final class LostUpdatesTest {
  private static final int CLIENTS = 4;
  private static final int COUNTS = 25;

  @TempDir private Path directory;

  private Server serve(Certification certification) {
    return Server.start(
        Settings.transactions(
            Settings.of(directory.resolve(certification.name())),
            new Transactions(10, 100, Duration.ofHours(1), certification)));
  }

  private static ObjectUpdate assign(String key, long value) {
    return new ObjectUpdate(
        WireClient.object(WireType.LWWREG, key), new WireOperation.Assign(Bytes.utf8("" + value)));
  }

  private static long registerIn(WireClient client, Bytes transaction, String key)
      throws IOException {
    Response read =
        client.call(
            new Request.Read(List.of(WireClient.object(WireType.LWWREG, key)), transaction));
    String value =
        new String(
            ((WireValue.Register) ((Response.Values) read).values().get(0)).value().toArray(),
            UTF_8);
    return value.isEmpty() ? 0 : Long.parseLong(value);
  }

  /** Reads, adds one and assigns, until the given number of commits is acknowledged. */
  static void incrementRegister(InetSocketAddress server, String key, int counts)
      throws IOException {
    try (WireClient client = new WireClient(server)) {
      for (int acknowledged = 0; acknowledged < counts; ) {
        Bytes transaction = client.begin();
        client.updateIn(transaction, assign(key, registerIn(client, transaction, key) + 1));
        Response committed = client.call(new Request.Commit(transaction));
        if (committed instanceof Response.Committed) {
          acknowledged++;
        } else {
          assertThat(committed).isEqualTo(new Response.NotCommitted(ErrorCode.ABORTED));
        }
      }
    }
  }

  static long register(InetSocketAddress server, String key) throws IOException {
    try (WireClient client = new WireClient(server)) {
      return registerIn(client, client.begin(), key);
    }
  }

  /** Makes clients increment a register concurrently, each at one server. */
  static void incrementConcurrently(List<InetSocketAddress> servers, String key, int counts) {
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    for (InetSocketAddress server : servers) {
      clients.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  incrementRegister(server, key, counts);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              },
              task -> new Thread(task).start()));
    }
    clients.forEach(CompletableFuture::join);
  }

  @Test
  void everyAcknowledgedIncrementCounts() throws Exception {
    for (Certification certification :
        List.of(Certification.READ_THEN_UPDATED, Certification.WRITES)) {
      try (Server server = serve(certification)) {
        InetSocketAddress address = server.address();
        incrementConcurrently(List.of(address, address, address, address), "register", COUNTS);

        assertThat(register(address, "register")).isEqualTo(CLIENTS * COUNTS);
      }
    }
  }

  private static Response committed(WireClient client, boolean reads, ObjectUpdate... updates)
      throws IOException {
    Bytes transaction = client.begin();
    assertThat(reads ? client.countIn(transaction, "c") : 0).isNotNegative();
    client.update(WireClient.add("c", 1));
    client.updateIn(transaction, updates);
    return client.call(new Request.Commit(transaction));
  }

  @Test
  void theSettingDeterminesTheConflicts() throws Exception {
    Response refused = new Response.NotCommitted(ErrorCode.ABORTED);
    for (Certification certification :
        List.of(Certification.NONE, Certification.READ_THEN_UPDATED, Certification.WRITES)) {
      try (Server server = serve(certification);
          WireClient client = new WireClient(server)) {
        Response blind = committed(client, false, WireClient.add("c", 1));
        Response readAndUpdated = committed(client, true, WireClient.add("c", 1));
        Response readAndAnotherUpdated = committed(client, true, WireClient.add("d", 1));

        assertThat(blind.equals(refused)).isEqualTo(certification == Certification.WRITES);
        assertThat(readAndUpdated.equals(refused)).isEqualTo(certification != Certification.NONE);
        assertThat(readAndAnotherUpdated).isInstanceOf(Response.Committed.class);
      }
    }
  }
}
