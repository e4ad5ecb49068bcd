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

/** The JVM, the process, and the disk of the store, by Micrometer's own meters and names. */
final class ProcessMetrics implements AutoCloseable {
  private final JvmGcMetrics collections = new JvmGcMetrics();

  /** Registers them. */
  void register(Path directory, MeterRegistry registry) {
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    collections.bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new DiskSpaceMetrics(directory.toFile()).bindTo(registry);
    String version = ProcessMetrics.class.getPackage().getImplementationVersion();
    var unused =
        Gauge.builder("stablecut.build.info", () -> 1)
            .description("1, with the versions")
            .tag("version", version == null ? "unknown" : version)
            .tag("java", Runtime.version().toString())
            .register(registry);
  }

  @Override
  public void close() {
    collections.close();
  }
}
