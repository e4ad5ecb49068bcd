package io.github.stablecut.junit;

import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each JUnit 5 test an empty store, which is closed and deleted afterwards.
 *
 * <pre>{@code
 * final class CartTest {
 *   @RegisterExtension final StoreExtension stores = StoreExtension.onLossyDisk();
 *
 *   @Test
 *   void keepsWhatWasPaid(Store store, SettableClock clock) {
 *     store.update(paid.increment(5));
 *     clock.advance(Duration.ofDays(1));
 *
 *     Store after = stores.cutPower();
 *
 *     assertThat(after.read(paid)).isEqualTo(5);
 *   }
 * }
 * }</pre>
 *
 * <p>Test methods and lifecycle methods may have parameters of the types {@link Store} and {@link
 * SettableClock}. The store's clock stands at {@link #START} until it is set, to any time before
 * 2159. Deadlines of the store, such as those of transactions, use the machine's clock.
 *
 * <p>Confined to the test's thread, which must end its own threads before it reopens the store.
 */
public final class StoreExtension
    implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
  /** The store's time at the beginning of each test: 2026-01-01, midnight UTC. */
  public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  /** A jump beyond the range of timestamps. */
  private static final Duration ANY_JUMP = Duration.ofDays(365_000);

  /** The resources of one test. */
  private static final class TestResources {
    final TestDisk disk;
    final SettableClock clock = SettableClock.at(START);
    Optional<Store> store = Optional.empty();

    TestResources(TestDisk disk) {
      this.disk = disk;
    }
  }

  private final Supplier<TestDisk> disks;
  private final UnaryOperator<StoreOptions> options;
  private Optional<TestResources> running = Optional.empty();

  private StoreExtension(Supplier<TestDisk> disks, UnaryOperator<StoreOptions> options) {
    this.disks = disks;
    this.options = options;
  }

  /** Creates stores in temporary directories. */
  public static StoreExtension inDirectory() {
    return new StoreExtension(TestDisk.InDirectory::create, given -> given);
  }

  /**
   * Creates stores in memory, on disks whose power can be cut. They have no directory, support no
   * backups, and are no data centres.
   */
  public static StoreExtension onLossyDisk() {
    return new StoreExtension(
        TestDisk.Lossy::new, // no disk in memory has a reserve
        given -> given.withLimits(given.limits().withReserveBytes(0)));
  }

  /**
   * Creates stores with other options.
   *
   * @param change of the default options, which have the test's clock; called for each opening
   */
  public StoreExtension with(UnaryOperator<StoreOptions> change) {
    Objects.requireNonNull(change, "change");
    return new StoreExtension(disks, given -> change.apply(options.apply(given)));
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    running = Optional.of(new TestResources(disks.get()));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    TestResources ended = running();
    running = Optional.empty();
    try {
      ended.store.ifPresent(Store::close);
    } finally {
      ended.disk.delete();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return running.isPresent() && (type == Store.class || type == SettableClock.class);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Store.class ? store() : clock();
  }

  private TestResources running() {
    return running.orElseThrow(
        () ->
            new IllegalStateException(
                "a store exists only while a test runs: register the extension with"
                    + " @RegisterExtension"));
  }

  /** The test's store; the first call opens it. */
  public Store store() {
    TestResources test = running();
    if (test.store.isEmpty()) {
      StoreOptions defaults =
          StoreOptions.defaults().withClock(test.clock).withMaxClockJump(ANY_JUMP);
      test.store = Optional.of(test.disk.open(options.apply(defaults)));
    }
    return test.store.get();
  }

  /** The clock of the test's store. */
  public SettableClock clock() {
    return running().clock;
  }

  /**
   * The directory of the test's store.
   *
   * @throws IllegalStateException if the store is in memory
   */
  public Path directory() {
    if (running().disk instanceof TestDisk.InDirectory directory) {
      return directory.path().resolve("store");
    }
    throw new IllegalStateException(
        "a store on a lossy disk has no directory: use StoreExtension.inDirectory()");
  }

  /** Closes the store and reopens it, as a restarted program does. */
  public Store reopen() {
    TestResources test = running();
    Optional<Store> before = test.store;
    test.store = Optional.empty();
    before.ifPresent(Store::close);
    return store();
  }

  /** Like {@link #cutPower(long)}, with a fixed seed. */
  public Store cutPower() {
    return cutPower(0);
  }

  /**
   * Cuts the power and reopens the store on what has reached the disk: everything synced, and a
   * random part of the other pages and file names. Concurrent calls of other threads fail.
   *
   * @param seed selects the surviving unsynced data
   * @throws IllegalStateException if the store is not on a lossy disk
   */
  public Store cutPower(long seed) {
    TestResources test = running();
    if (!(test.disk instanceof TestDisk.Lossy disk)) {
      throw new IllegalStateException(
          "only disks in memory can lose power: use StoreExtension.onLossyDisk()");
    }
    disk.switchOff();
    Optional<Store> before = test.store;
    test.store = Optional.empty();
    before.ifPresent(StoreExtension::closeWithoutPower);
    disk.switchOn(new SplittableRandom(seed));
    return store();
  }

  private static void closeWithoutPower(Store store) {
    try {
      store.close();
    } catch (StablecutException expected) {
      // The store can no longer write.
    }
  }
}
