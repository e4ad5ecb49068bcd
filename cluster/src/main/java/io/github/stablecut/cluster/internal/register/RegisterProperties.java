package io.github.stablecut.cluster.internal.register;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** The settings of Ratis for the configuration register. Stateless. */
final class RegisterProperties {
  /** The largest entry that Ratis accepts. */
  private static final int MAX_ENTRY_BYTES = 32 << 10;

  /** The largest command, which leaves room for what Ratis adds to an entry. */
  static final int MAX_COMMAND_BYTES = MAX_ENTRY_BYTES - 1_024;

  private RegisterProperties() {}

  static RaftProperties in(Path directory) {
    RaftProperties properties = new RaftProperties();
    RaftConfigKeys.Rpc.setType(properties, new ChannelRpc.Type());
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    // Ratis closes itself after a pause of the process of this length; a frozen node must resume.
    RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(3_650, TimeUnit.DAYS));
    // A follower checks twice before it campaigns. An unnecessary change of the leader is harmless.
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(600));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(1_200));
    RaftServerConfigKeys.setStagingTimeout(properties, millis(6_000));
    RaftServerConfigKeys.Rpc.setRequestTimeout(properties, millis(3_000));
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf("1MB"));
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("64KB"));
    RaftServerConfigKeys.Log.setWriteBufferSize(properties, SizeInBytes.valueOf("64KB"));
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(
        properties, SizeInBytes.valueOf(MAX_ENTRY_BYTES));
    return properties;
  }

  private static TimeDuration millis(long millis) {
    return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
  }
}
