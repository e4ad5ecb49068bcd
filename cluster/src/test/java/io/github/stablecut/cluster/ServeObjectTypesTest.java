package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.NodeProcess.Options;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.ObjectTypes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers load the object types on their class path. */
final class ServeObjectTypesTest {
  @TempDir private Path directory;

  /** The content of a user's jar. */
  public static final class Purses implements ObjectTypes.Provider {
    /** For the service loader. */
    public Purses() {}

    @Override
    public List<ObjectType<?>> types() {
      return List.of(ObjectType.of("purse", Codec.int64(), 0L).withVersion(7));
    }
  }

  private String serviceFile(String content) throws Exception {
    Path services = Files.createDirectories(directory.resolve("jar/META-INF/services"));
    Files.writeString(services.resolve(ObjectTypes.Provider.class.getName()), content);
    return "-Xbootclasspath/a:" + directory.resolve("jar");
  }

  private Options node(String name, int port, int seed) {
    return new Options(name, directory.resolve(name), port, List.of("127.0.0.1:" + seed), 1);
  }

  @Test
  void refusesANodeWithoutThem() throws Exception {
    String flag = serviceFile(Purses.class.getName());
    List<Integer> ports = Ports.free(2);
    Options first = node("n1", ports.get(0), ports.get(0)).withFlags(flag);
    Options other = node("n2", ports.get(1), ports.get(0));
    try (NodeProcess one = NodeProcess.start(first).await();
        NodeProcess two = NodeProcess.start(other)) {
      assertThat(two.exitCode()).isEqualTo(1);
      assertThat(two.output()).contains("purse 7 []");
      assertThat(one.isReady()).isTrue();
    }
  }

  @Test
  void aMissingProviderIsAnErrorOfTheSettings() throws Exception {
    String flag = serviceFile("com.example.Nothing");
    int port = Ports.free(1).get(0);
    try (NodeProcess node = NodeProcess.start(node("n1", port, port).withFlags(flag))) {
      assertThat(node.exitCode()).isEqualTo(2);
      assertThat(node.output()).contains("com.example.Nothing").contains("META-INF/services");
    }
  }
}
