package io.github.stablecut.cluster.internal.register;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** How Ratis runs the register. */
final class RegisterProperties {
  /** Ratis refuses larger entries. */
  private static final int MAX_ENTRY_BYTES = 32 << 10;

  /** So large a command may be, with what Ratis adds to it. */
  static final int MAX_COMMAND_BYTES = MAX_ENTRY_BYTES - 1_024;

  private RegisterProperties() {}

  static RaftProperties in(Path directory) {
    RaftProperties properties = new RaftProperties();
    RaftConfigKeys.Rpc.setType(properties, new ChannelRpc.Type());
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    // Ratis closes itself after a pause of that length; whoever was frozen goes on.
    RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(3_650, TimeUnit.DAYS));
    // A follower looks twice before it asks for votes. That another node leads the register than
    // necessary costs nobody anything.
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
