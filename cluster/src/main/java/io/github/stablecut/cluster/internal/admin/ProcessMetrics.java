package io.github.stablecut.cluster.internal.admin;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.DiskSpaceMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.nio.file.Path;

/** Micrometer's metrics of the JVM, the process and the store's disk. */
final class ProcessMetrics implements AutoCloseable {
  private final JvmGcMetrics collections = new JvmGcMetrics();

  /** Registers the metrics. */
  void register(Path directory, MeterRegistry registry) {
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    collections.bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new DiskSpaceMetrics(directory.toFile()).bindTo(registry);
    Gauge.builder("stablecut.build.info", () -> 1)
        .description("always 1; its tags have the versions")
        .tag("version", ProcessReport.version())
        .tag("java", Runtime.version().toString())
        .register(registry);
  }

  @Override
  public void close() {
    collections.close();
  }
}
