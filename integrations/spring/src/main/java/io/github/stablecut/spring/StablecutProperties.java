package io.github.stablecut.spring;

import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The location of an application's store, and how to open it. Immutable.
 *
 * @param directory of an embedded store; created if missing. A text, because Spring resolves a path
 *     to a resource of the class path if one exists
 * @param url of a remote store instead, such as {@code stablecut://db1:8087}; blank for none
 * @param partitions of a new store; 0 for those of an existing store, or 1
 * @param durability when commits are acknowledged
 * @param durabilityWindow how long {@code group} gathers commits, and how often {@code periodic}
 *     syncs; 1 ms to 10 s
 * @param retention how far the past stays readable
 */
@ConfigurationProperties("stablecut")
public record StablecutProperties(
    @DefaultValue("data") String directory,
    @Nullable String url,
    @DefaultValue("0") int partitions,
    @DefaultValue("batch") Acknowledged durability,
    @DefaultValue("10ms") Duration durabilityWindow,
    @DefaultValue("1h") Duration retention) {
  /** The time at which a commit is acknowledged. */
  public enum Acknowledged {
    /** After a sync: {@link Durability#batch}. */
    BATCH,
    /** After the sync at the end of a window: {@link Durability#group}. */
    GROUP,
    /** At once; synced once per window: {@link Durability#periodic}. */
    PERIODIC
  }

  /** Treats an empty text, such as the value of an unset variable, as absent. */
  public StablecutProperties {
    directory = directory.isBlank() ? "data" : directory;
  }

  /** The URL of a remote store; null for an embedded one. */
  @Nullable String server() {
    return url == null || url.isBlank() ? null : url;
  }

  /**
   * The options of an embedded store.
   *
   * @throws StoreNotOpened if a property is out of its range
   */
  StoreOptions options() {
    StoreOptions defaults = StoreOptions.defaults();
    StoreOptions parted = checked("partitions", () -> defaults.withPartitions(partitions));
    Durability durable = checked("durability-window", () -> options(durability, durabilityWindow));
    CheckpointPolicy checkpoints =
        checked("retention", () -> defaults.checkpoints().withRetention(retention));
    return parted.withDurability(durable).withCheckpoints(checkpoints);
  }

  private static <T> T checked(String name, Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw new StoreNotOpened("stablecut.%s: %s".formatted(name, e.getMessage()), e);
    }
  }

  private static Durability options(Acknowledged durability, Duration window) {
    return switch (durability) {
      case BATCH -> Durability.batch();
      case GROUP -> Durability.group(window);
      case PERIODIC -> Durability.periodic(window);
    };
  }
}
