package dev.tidemark.retention.sql;

import org.jooq.DSLContext;
import org.jooq.DataType;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Record;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Calls a function that answers with a JSON object and reads the keys on the server, so that Java
 * receives typed columns. The call stands in a derived table: a volatile function there is run
 * once, however many keys are read.
 */
final class JsonCall {
  private static final Field<JSONB> ANSWER = DSL.field(DSL.name("answer"), JSONB.class);

  private JsonCall() {}

  static <T> Field<T> key(String name, DataType<T> type) {
    Field<String> text =
        Session.server("jsonb_extract_path_text", SQLDataType.CLOB, ANSWER, DSL.inline(name));
    return DSL.cast(text, type).as(name);
  }

  static Record call(DSLContext dsl, Field<JSONB> function, Field<?>... keys) {
    return dsl.select(keys)
        .from(DSL.select(function.as(ANSWER.getUnqualifiedName())).asTable("call"))
        .fetchSingle();
  }
}
