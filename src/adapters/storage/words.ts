import { asc, eq } from "drizzle-orm";
import { asId } from "../../domain/ids.js";
import type { Message } from "../../domain/message.js";
import type { Owed, OwedWords, WordsStore } from "../../ports/words.js";
import {
  type Database,
  mustMatch,
  type Queries,
  type Statement,
  unlessUnmet,
  write,
} from "./database.js";
import { numbered } from "./feed.js";
import { type Row, storable, toMessageRow, toPlace, toPlaceColumns } from "./rows.js";

export function createWordsStore(database: Database): WordsStore {
  const { queries, tables } = database;
  const { messages, owedWords } = tables;

  return {
    owe: (owed) => database.atomically((tx) => oweAll(database, tx, owed)),

    async list() {
      const rows = await queries.select().from(owedWords).orderBy(asc(owedWords.number));
      return rows.map(toWords);
    },

    async owes(conversationId) {
      const [row] = await queries
        .select({ number: owedWords.number })
        .from(owedWords)
        .where(eq(owedWords.conversationId, conversationId))
        .limit(1);
      return row !== undefined;
    },

    async settle(nonce, message) {
      const forget = (tx: Queries) =>
        mustMatch(
          tx
            .delete(owedWords)
            .where(eq(owedWords.nonce, nonce))
            .returning({ nonce: owedWords.nonce }),
        );
      const isKnown = async ({ id }: Message) => {
        const [row] = await queries
          .select({ id: messages.id })
          .from(messages)
          .where(eq(messages.id, id));
        return row !== undefined;
      };
      const isNew = message !== null && !(await isKnown(message));
      return unlessUnmet(database, (tx) => [
        forget(tx),
        ...(isNew
          ? [
              write(tx.insert(messages).values(toMessageRow(message, true))),
              ...numbered(tx, tables, message.createdAtMs, [{ message }]),
            ]
          : []),
      ]);
    },
  };
}

/** What a transaction owes from then on, together with what it changes. */
export function oweAll(
  { tables: { obeyed, owedWords } }: Database,
  tx: Queries,
  owed: Owed | undefined,
): readonly Statement[] {
  if (owed === undefined) return [];
  const rows = owed.words.map((words) => ({
    nonce: words.nonce,
    ...toPlaceColumns(words.place),
    text: storable(words.text),
    isSilent: words.isSilent,
    afterId: words.afterId,
    atMs: words.atMs,
    trigger: words.trigger,
  }));
  return [
    ...(rows.length === 0
      ? []
      : [
          write(tx.insert(owedWords).values(rows).onConflictDoNothing({ target: owedWords.nonce })),
        ]),
    ...(owed.obeyed === null
      ? []
      : [
          write(
            tx
              .insert(obeyed)
              .values({ messageId: owed.obeyed, atMs: owed.atMs })
              .onConflictDoNothing({ target: obeyed.messageId }),
          ),
        ]),
  ];
}

function toWords(row: Row<"owedWords">): OwedWords {
  const { nonce, text, isSilent, afterId, atMs, trigger } = row;
  return { nonce, place: toPlace(row), text, isSilent, afterId: asId(afterId), atMs, trigger };
}
