package io.github.stablecut.internal.transaction.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.PartitionAccess;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

final class MergedScanTest {
  /** A partition that can only be scanned. */
  private static PartitionAccess partition(Supplier<FoundObjects> scan) {
    return (PartitionAccess)
        Proxy.newProxyInstance(
            PartitionAccess.class.getClassLoader(),
            new Class<?>[] {PartitionAccess.class},
            (proxy, method, arguments) -> scan.get());
  }

  private static PartitionAccess empty(AtomicInteger closed) {
    return partition(
        () ->
            new FoundObjects() {
              @Override
              public Optional<FoundObject> next() {
                return Optional.empty();
              }

              @Override
              public void close() {
                closed.incrementAndGet();
              }
            });
  }

  @Test
  void keepsNothingOpenIfAPartitionCannotBeScanned() {
    AtomicInteger closed = new AtomicInteger();
    PartitionAccess away =
        partition(
            () -> {
              throw new PartitionUnavailableException("its node is away");
            });

    assertThatThrownBy(
            () ->
                MergedScan.open(
                    List.of(empty(closed), empty(closed), away),
                    ScanPlan.of(IdRange.all()),
                    VectorClock.ZERO))
        .isInstanceOf(PartitionUnavailableException.class);
    assertThat(closed).hasValue(2);
  }
}
