package io.github.stablecut.cluster.internal.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import io.github.stablecut.cluster.ClusterSettings;
import io.github.stablecut.cluster.DataCentreSettings;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.ServerSettings;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.TlsFiles;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.CacheOptions;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;

/** Reads settings: the caller's override those of a file, which override {@code reference.conf}. */
public final class SettingsFile {
  private static final Logger LOG = Log.of(SettingsFile.class);
  private static final String ROOT = "stablecut";

  /** The distance between a node's port and its data port, unless that is set. */
  private static final int DATA_PORT_DISTANCE = 1_000;

  private final Config config;

  private SettingsFile(Config config) {
    this.config = config;
  }

  /**
   * Reads the settings of a file.
   *
   * @param file a HOCON file; empty for none
   * @param overrides settings by their names in the file; they take precedence
   * @throws SettingsException if the file can't be read, or a setting is unknown or wrong
   */
  public static ServerSettings read(Optional<Path> file, Map<String, ?> overrides) {
    Config reference =
        ConfigFactory.parseResources(SettingsFile.class.getClassLoader(), "reference.conf")
            .getConfig(ROOT);
    Config own =
        ConfigFactory.parseMap(overrides, "command line")
            .withFallback(file.map(SettingsFile::parse).orElse(ConfigFactory.empty()));
    KnownKeys.check(own, reference);
    checkCluster(own, overrides);
    try {
      return new SettingsFile(own.withFallback(reference).resolve()).settings();
    } catch (ConfigException e) {
      throw new SettingsException("a setting is wrong: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new SettingsException("the settings of the store are wrong: " + e.getMessage(), e);
    }
  }

  /** Refuses settings of a cluster node without a cluster to join. */
  private static void checkCluster(Config own, Map<String, ?> overrides) {
    Set<String> names = new TreeSet<>(overrides.keySet());
    names.removeIf(name -> !name.startsWith("cluster.") || name.equals("cluster.secret"));
    if (own.hasPath("cluster.node")) {
      names.add("cluster.node");
    }
    if (!names.isEmpty() && !own.hasPath("cluster.join")) {
      throw new SettingsException(
          "%s is set, but no cluster to join: give --join HOST:PORT (this node's own address if it begins the cluster), or omit it"
              .formatted(String.join(", ", names)));
    }
  }

  private static Config parse(Path file) {
    if (!Files.isReadable(file)) {
      throw new SettingsException(
          "the settings file " + file + " can't be read: name an existing file");
    }
    try {
      Config parsed =
          ConfigFactory.parseFile(
              file.toFile(),
              ConfigParseOptions.defaults()
                  .setAllowMissing(false)
                  .setIncluder(new LocalIncludes(file.toAbsolutePath().resolveSibling(""))));
      if (!parsed.hasPath(ROOT) && !parsed.isEmpty()) {
        throw new SettingsException(
            "the settings file %s has no %s, only %s: all settings are in %s { ... }"
                .formatted(file, ROOT, parsed.root().keySet(), ROOT));
      }
      return parsed.hasPath(ROOT) ? parsed.getConfig(ROOT) : parsed;
    } catch (ConfigException e) {
      throw new SettingsException("the settings file is not valid HOCON: " + e.getMessage(), e);
    }
  }

  private ServerSettings settings() {
    String data = config.getString("data");
    if (data.isEmpty()) {
      throw new SettingsException(
          "the store has no directory: give --data DIR, or stablecut.data in the settings file");
    }
    boolean insecure = config.getBoolean("insecure");
    return new ServerSettings(
        Path.of(data),
        store(),
        new Endpoint(config.getString("bind"), config.getInt("port"), tls(""), insecure),
        operations(insecure),
        limits(),
        threads(),
        cluster(insecure),
        dataCentre(insecure),
        file("cluster.secret"));
  }

  private Optional<DataCentreSettings> dataCentre(boolean insecure) {
    String listen = config.getString("replication.listen");
    List<String> joins = config.getStringList("replication.join");
    Optional<String> advertised =
        Optional.of(config.getString("replication.advertised")).filter(text -> !text.isEmpty());
    if (listen.isEmpty()) {
      if (!joins.isEmpty() || advertised.isPresent()) {
        throw new SettingsException(
            "replication.join and replication.advertised are for a server that listens for other"
                + " data centres: give --dc-listen HOST:PORT (replication.listen) too");
      }
      return Optional.empty();
    }
    return Optional.of(
        new DataCentreSettings(
            listen,
            advertised,
            joins,
            config.getDuration("replication.max-lag"),
            config.getBoolean("replication.read-only"),
            tls("replication."),
            insecure));
  }

  private Optional<ClusterSettings> cluster(boolean insecure) {
    List<String> seeds = config.getStringList("cluster.join");
    if (seeds.isEmpty()) {
      return Optional.empty();
    }
    Endpoint endpoint =
        new Endpoint(
            config.getString("cluster.bind"),
            config.getInt("cluster.port"),
            tls("cluster."),
            insecure);
    return Optional.of(
        ClusterSettings.builder(config.getString("cluster.node"), endpoint, seeds)
            .formWith(config.getInt("cluster.form-with"))
            .listenPort(config.getInt("cluster.listen-port"))
            .moveBytesPerSecond(config.getBytes("cluster.move-bytes-per-second"))
            .maxClockDrift(config.getDuration("cluster.max-clock-drift"))
            .trafficBytes(config.getBytes("cluster.traffic-memory"))
            .replicas(config.getInt("cluster.replicas"))
            .secret(file("cluster.secret"))
            .zone(config.getString("cluster.zone"))
            .dataPort(dataPort())
            .dataListenPort(config.getInt("cluster.data-listen-port"))
            .build());
  }

  private int dataPort() {
    int port = config.getInt("cluster.data-port");
    return port == -1 ? config.getInt("cluster.port") + DATA_PORT_DISTANCE : port;
  }

  private Optional<TlsFiles> tls(String prefix) {
    Optional<Path> certificate = file(prefix + "tls.certificate");
    Optional<Path> key = file(prefix + "tls.key");
    Optional<Path> authority = file(prefix + "tls.client-authority");
    if (certificate.isPresent() != key.isPresent()) {
      throw new SettingsException(
          "%stls.certificate and %stls.key go together: give both files, or none"
              .formatted(prefix, prefix));
    }
    if (authority.isPresent() && key.isEmpty()) {
      throw new SettingsException(
          "%stls.client-authority needs %stls.certificate and %stls.key: give all three files"
              .formatted(prefix, prefix, prefix));
    }
    return certificate.map(file -> new TlsFiles(file, key.orElseThrow(), authority));
  }

  private Optional<Path> file(String name) {
    return Optional.of(config.getString(name)).filter(path -> !path.isEmpty()).map(Path::of);
  }

  private Optional<Endpoint> operations(boolean insecure) {
    Endpoint endpoint =
        new Endpoint(
            config.getString("operations.bind"),
            config.getInt("operations.port"),
            Optional.empty(),
            insecure);
    return Optional.of(endpoint).filter(any -> config.getBoolean("operations.enabled"));
  }

  private ServerSettings.ClientLimits limits() {
    return new ServerSettings.ClientLimits(
        config.getInt("max-connections"),
        config.getDuration("idle-timeout"),
        config.getDuration("request-timeout"),
        new ServerSettings.Sizes(
            config.getBytes("max-request-bytes"),
            config.getBytes("max-response-bytes"),
            config.getBytes("large-request-memory")),
        new ServerSettings.Transactions(
            config.getInt("transactions.max-per-connection"),
            config.getInt("transactions.max-open"),
            config.getDuration("transactions.idle-timeout"),
            certification()),
        new ServerSettings.Shares(
            config.getInt("handles.share-per-connection"),
            config.getInt("handles.share-per-address"),
            config.getInt("handles.share-per-user"),
            config.getDuration("handles.disconnected-timeout")),
        config.getBoolean("replication.client-orders"));
  }

  private Certification certification() {
    String kind = config.getString("transactions.certification");
    return switch (kind) {
      case "off" -> Certification.NONE;
      case "read-then-updated" -> Certification.READ_THEN_UPDATED;
      case "updated" -> Certification.WRITES;
      default ->
          throw new SettingsException(
              "transactions.certification is off, read-then-updated or updated, not \""
                  + kind
                  + "\"");
    };
  }

  private ServerSettings.Threads threads() {
    int cores = Runtime.getRuntime().availableProcessors();
    int network = config.getInt("threads.network");
    int workers = config.getInt("threads.workers");
    return new ServerSettings.Threads(
        network == 0 ? Math.max(1, cores / 2) : network,
        workers == 0 ? 4 * cores : workers,
        config.getDuration("shutdown-timeout"));
  }

  private StoreOptions store() {
    StoreOptions defaults = StoreOptions.defaults();
    return defaults
        .withPartitions(config.getInt("store.partitions"))
        .withDurability(durability())
        .withMaxTransactionAge(config.getDuration("store.max-transaction-age"))
        .withTimeouts(
            new Timeouts(
                config.getDuration("store.timeouts.commit"),
                config.getDuration("store.timeouts.read"),
                config.getDuration("store.timeouts.session")))
        .withCache(CacheOptions.bytes(cacheBytes()))
        .withCheckpoints(checkpoints())
        .withLimits(limits(defaults.limits()))
        .withIndex(defaults.index().withFoldAfter(config.getInt("store.fold-after")))
        .withMaxClockJump(config.getDuration("store.max-clock-jump"));
  }

  /**
   * The size of the cache: at most a quarter of the heap, in addition to the memory for requests.
   */
  private long cacheBytes() {
    long max = Runtime.getRuntime().maxMemory() / 4;
    long configuredBytes = config.getBytes("store.cache-bytes");
    if (configuredBytes > max) {
      LOG.warn(
          "store.cache-bytes is {} MiB, which exceeds a quarter of the heap, {} MiB, which is used instead: give the JVM a larger heap (-Xmx), or lower the setting",
          configuredBytes >> 20,
          max >> 20);
    }
    return Math.min(max, configuredBytes);
  }

  private CheckpointPolicy checkpoints() {
    return new CheckpointPolicy(
        config.getBytes("store.checkpoints.journal-bytes"),
        config.getLong("store.checkpoints.operations"),
        config.getDuration("store.checkpoints.interval"),
        config.getDuration("store.retention"),
        bytes("store.checkpoints.paged-from-bytes"));
  }

  private StoreOptions.Limits limits(StoreOptions.Limits defaults) {
    long recent = config.getBytes("store.recent-bytes");
    return new StoreOptions.Limits(
        bytes("store.max-operation-bytes"),
        bytes("store.max-transaction-bytes"),
        bytes("store.segment-bytes"),
        recent == 0 ? defaults.effectBytes() : recent,
        config.getBytes("store.reserve-bytes"),
        config.getInt("store.max-nesting"),
        config.getInt("store.max-watches"),
        config.getInt("store.max-sessions"),
        config.getInt("store.max-sessions-per-client"));
  }

  private int bytes(String name) {
    return (int) Math.min(Integer.MAX_VALUE, config.getBytes(name));
  }

  private Durability durability() {
    Duration window = config.getDuration("store.durability-window");
    String kind = config.getString("store.durability");
    return switch (kind) {
      case "batch" -> Durability.batch();
      case "group" -> Durability.group(window);
      case "periodic" -> Durability.periodic(window);
      default ->
          throw new SettingsException(
              "store.durability is batch, group or periodic, not \"" + kind + "\"");
    };
  }
}
