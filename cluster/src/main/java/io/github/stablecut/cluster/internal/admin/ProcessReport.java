package io.github.stablecut.cluster.internal.admin;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** The part of a server's status that describes its process and its disk. */
final class ProcessReport {
  private ProcessReport() {}

  /** The version, the times, the heap, and the disk of a directory, if it can be examined. */
  static Map<String, Object> of(Path directory) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("version", version());
    report.put("time", Instant.now().truncatedTo(ChronoUnit.MILLIS).toString());
    report.put(
        "started",
        Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime()).toString());
    report.put("heap", heap());
    try {
      FileStore disk = Files.getFileStore(directory);
      Map<String, Object> space = new LinkedHashMap<>();
      space.put("freeBytes", disk.getUsableSpace());
      space.put("totalBytes", disk.getTotalSpace());
      report.put("disk", space);
    } catch (IOException e) {
      // Unknown; the rest of the status says why if the store suffers from it.
    }
    return report;
  }

  private static Map<String, Object> heap() {
    Runtime runtime = Runtime.getRuntime();
    Map<String, Object> heap = new LinkedHashMap<>();
    heap.put("usedBytes", runtime.totalMemory() - runtime.freeMemory());
    heap.put("maxBytes", runtime.maxMemory());
    return heap;
  }

  /** The version of this program. */
  static String version() {
    String version = ProcessReport.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }
}
