package io.github.stablecut.examples.cassandra;

import io.github.stablecut.examples.bench.commit.RoundServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.cassandra.service.CassandraDaemon;
import org.slf4j.LoggerFactory;

/**
 * A node of Cassandra without a network for clients, whose records are read and updated. Its
 * arguments are a directory, {@code batch} or {@code group}, and the group policy's window in
 * milliseconds. Ends with its input.
 */
public final class CassandraPeer {
  /** As Cassandra's own for one node, but what waits for others waits long. */
  private static final String SETTINGS =
      """
      cluster_name: bench
      num_tokens: 1
      partitioner: org.apache.cassandra.dht.Murmur3Partitioner
      endpoint_snitch: SimpleSnitch
      listen_address: 127.0.0.1
      rpc_address: 127.0.0.1
      storage_port: %1$d
      start_native_transport: false
      seed_provider:
        - class_name: org.apache.cassandra.locator.SimpleSeedProvider
          parameters:
            - seeds: "127.0.0.1:%1$d"
      data_file_directories: [%2$s/data]
      commitlog_directory: %2$s/commitlog
      saved_caches_directory: %2$s/caches
      hints_directory: %2$s/hints
      cdc_raw_directory: %2$s/cdc
      auto_snapshot: false
      paxos_variant: v2
      concurrent_reads: 256
      concurrent_writes: 256
      read_request_timeout: 60s
      write_request_timeout: 60s
      cas_contention_timeout: 60s
      %3$s
      """;

  private CassandraPeer() {}

  /** Serves rounds of {@code select} and {@code update}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int code = 1;
    try {
      start(Files.createDirectories(Path.of(args[0])).toAbsolutePath(), args[1], args[2]);
      RoundServer.serve(
          Map.of("select", new CassandraTarget(true), "update", new CassandraTarget(false)));
      code = 0;
    } catch (RuntimeException | Error e) {
      LoggerFactory.getLogger(CassandraPeer.class).error("Cassandra can't be measured", e);
    } finally {
      System.exit(code); // Cassandra's threads would go on.
    }
  }

  private static void start(Path directory, String policy, String window) throws IOException {
    String sync =
        policy.equals("group")
            ? "commitlog_sync: group\ncommitlog_sync_group_window: %sms".formatted(window)
            : "commitlog_sync: batch";
    Path settings = directory.resolve("cassandra.yaml");
    Files.writeString(settings, SETTINGS.formatted(freePort(), directory, sync));
    System.setProperty("cassandra.config", settings.toUri().toString());
    System.setProperty("cassandra.storagedir", directory.toString());
    System.setProperty("cassandra.triggers_dir", directory.toString());
    System.setProperty("cassandra.ring_delay_ms", "0");
    System.setProperty("cassandra.skip_wait_for_gossip_to_settle", "0");

    System.setProperty("cassandra-foreground", "yes"); // It would close standard output.
    new CassandraDaemon(true).activate();
    CassandraTarget.createTable();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
