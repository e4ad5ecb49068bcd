package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Test clusters, in this JVM and in others, use a secret of their own, and not that of the user.
 */
final class TestSecretTest {
  @Test
  void theSecretOfAllTestClustersIsInTheBuildDirectory() {
    Path home = Path.of("target", "home").toAbsolutePath();

    assertThat(ClusterSecret.userFile())
        .as("run the tests with -Duser.home=" + home)
        .startsWith(home);
    assertThat(ServerProcess.builder().command()).contains("-Duser.home=" + home);
  }
}
