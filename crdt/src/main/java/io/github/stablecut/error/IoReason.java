package io.github.stablecut.error;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Describes an {@link IOException} for messages: the message of a file system exception is often
 * only the file's name, and its class the reason.
 */
public final class IoReason {
  /** With less than this left, a disk counts as full, whatever the system's message says. */
  private static final long FULL_BELOW_BYTES = 64 << 10;

  private IoReason() {}

  /** The reason, such as {@code there is no data/x.json}; without a full stop. */
  public static String of(IOException failure) {
    return failure instanceof FileSystemException ofFile ? ofFile(ofFile) : ofNetwork(failure);
  }

  /** Like {@link #of}; the JDK's words for failures of a network say little, or nothing. */
  private static String ofNetwork(IOException failure) {
    if (failure instanceof SocketTimeoutException) {
      return "there was no answer in time";
    }
    if (failure instanceof UnknownHostException) {
      return "there is no host " + failure.getMessage();
    }
    String message = failure.getMessage();
    boolean isRefused =
        failure instanceof ConnectException && (message == null || message.contains("refused"));
    return isRefused ? "nothing accepts connections there" : text(failure);
  }

  /**
   * Whether a write has failed because its disk is full, or a quota is used up.
   *
   * @param file what was to be written, or a directory around it
   */
  public static boolean isDiskFull(IOException failure, Path file) {
    String text = of(failure);
    return text.contains("No space left")
        || text.contains("quota exceeded")
        || usableBytes(file) < FULL_BELOW_BYTES;
  }

  /** The space that is left on a file's disk; the greatest number if that can't be found out. */
  private static long usableBytes(Path file) {
    Path existing = file.toAbsolutePath();
    while (existing.getParent() != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    try {
      return Files.getFileStore(existing).getUsableSpace();
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }

  private static String ofFile(FileSystemException failure) {
    String file = failure.getFile();
    if (failure instanceof NoSuchFileException) {
      return "there is no " + file;
    }
    if (failure instanceof AccessDeniedException) {
      return "this user may not access " + file;
    }
    if (failure instanceof FileAlreadyExistsException) {
      return file + " is there already";
    }
    if (failure instanceof NotDirectoryException) {
      return file + " is not a directory";
    }
    if (failure instanceof DirectoryNotEmptyException) {
      return file + " is not empty";
    }
    String reason = failure.getReason();
    return file == null || reason == null ? text(failure) : file + ": " + reason;
  }

  private static String text(IOException failure) {
    String kind =
        failure instanceof EOFException
            ? "it ended unexpectedly"
            : failure.getClass().getSimpleName();
    return Objects.requireNonNullElse(failure.getMessage(), kind);
  }
}
