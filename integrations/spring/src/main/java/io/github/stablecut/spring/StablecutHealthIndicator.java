package io.github.stablecut.spring;

import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while the store takes commits. Down if a part of it has failed, its disk is full, or its
 * server does not answer: the details say what, in words. Thread-safe.
 */
final class StablecutHealthIndicator extends AbstractHealthIndicator {
  private final Store store;

  StablecutHealthIndicator(Store store) {
    super("the store does not answer");
    this.store = store;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    StoreStatus status = store.status();
    List<String> problems = new ArrayList<>(status.health().failures());
    problems.addAll(status.journal().problems());
    (problems.isEmpty() ? builder.up() : builder.down().withDetail("problems", problems))
        .withDetail("partitions", status.partitions())
        .withDetail("openTransactions", status.openTransactions())
        .withDetail("inDoubt", status.activity().inDoubt().size())
        .withDetail("warnings", status.health().warnings());
  }
}
