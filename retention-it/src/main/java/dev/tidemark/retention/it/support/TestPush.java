package dev.tidemark.retention.it.support;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Pushes over one connection. A message is named by a word: its hash is the word's MD5. */
public final class TestPush {
  private static final String ONE =
      "select queen.log_push_one_v1(p_queue => ?, p_partition => ?, p_msg_count => ?::int,"
          + " p_hashes => ?::bytea, p_verified => ?::bigint, p_blob => ?::bytea)";

  private final Sql sql;

  public TestPush(Sql sql) {
    this.sql = sql;
  }

  /** Pushes one segment of these messages. */
  public JsonNode push(String queue, @Nullable String partition, String... words) {
    return pushVerified(queue, partition, null, words);
  }

  public JsonNode pushVerified(
      String queue, @Nullable String partition, @Nullable Long verified, String... words) {
    return raw(queue, partition, words.length, hashes(words), verified, blob(words));
  }

  /** Any arguments at all. */
  public JsonNode raw(
      @Nullable String queue,
      @Nullable String partition,
      @Nullable Integer count,
      byte @Nullable [] hashes,
      @Nullable Long verified,
      byte @Nullable [] blob) {
    return sql.json(ONE, queue, partition, count, hashes, verified, blob);
  }

  public static byte[] blob(String... words) {
    return String.join(" ", words).getBytes(StandardCharsets.UTF_8);
  }

  /** 16 bytes a word. */
  public static byte[] hashes(String... words) {
    byte[] hashes = new byte[16 * words.length];
    for (int i = 0; i < words.length; i++) {
      try {
        byte[] hash =
            MessageDigest.getInstance("MD5").digest(words[i].getBytes(StandardCharsets.UTF_8));
        System.arraycopy(hash, 0, hashes, 16 * i, 16);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
    return hashes;
  }

  public static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
