package io.github.stablecut.examples.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.examples.bench.guard.Git.Commit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks out and builds commits of a repository whose build is a script. */
final class BaseBuildTest {
  @TempDir private Path directory;
  private Git git = new Git(Path.of(""));

  @BeforeEach
  void createRepository() throws Exception {
    git = new Git(directory.toRealPath());
    git.run("init", "-q");
  }

  @CanIgnoreReturnValue
  private Commit commit(String script) throws Exception {
    Path run = git.root().resolve("examples/run");
    Files.createDirectories(run.getParent());
    Files.writeString(run, "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n" + script);
    assertThat(run.toFile().setExecutable(true)).isTrue();
    git.run("add", "--all");
    git.run("-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "-qm", script);
    return git.commit("HEAD");
  }

  @Test
  void buildsTheCommitInAWorktreeAndRemovesIt() throws Exception {
    Commit old = commit("echo old > built");
    commit("echo new > built");

    Path worktree = git.root().resolve("target/guard/" + old.id());
    try (BaseBuild build = BaseBuild.of(git, old, false)) {
      assertThat(worktree.resolve("examples/built")).hasContent("old");
      assertThat(build.classPath())
          .startsWith(BaseBuild.ownClasses() + ":")
          .endsWith(worktree + "/examples/target/quick/lib/*");
    }
    assertThat(worktree).doesNotExist();
    assertThat(git.run("worktree", "list").lines()).hasSize(1);
  }

  @Test
  void keepsTheWorktreeForTheNextRun() throws Exception {
    Commit old = commit("echo built >> built");
    try (BaseBuild build = BaseBuild.of(git, old, true)) {
      assertThat(build.classPath()).contains(old.id());
    }
    try (BaseBuild build = BaseBuild.of(git, old, false)) {
      Path worktree = git.root().resolve("target/guard/" + old.id());
      assertThat(worktree.resolve("examples/built")).hasContent("built\nbuilt");
      assertThat(build.classPath()).contains(old.id());
    }
  }

  @Test
  void namesACommitThatCannotBeBuilt() throws Exception {
    Commit broken = commit("exit 3");
    assertThatThrownBy(() -> BaseBuild.of(git, broken, false))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("commit %s was not built".formatted(broken.id()));
  }

  @Test
  void knowsWhetherFilesDifferFromTheCommit() throws Exception {
    commit("echo old > built");
    assertThat(git.isChanged()).isFalse();
    Files.writeString(git.root().resolve("examples/run"), "changed");
    assertThat(git.isChanged()).isTrue();
    assertThatThrownBy(() -> git.commit("missing"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("exited with code 128");
  }
}
