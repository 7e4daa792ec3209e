// Types of what scripts of pages work on, for `python -m scripts.check_scripts`; no page loads this file.
// Data: what sample_details.py and playback_facts.py make. What is empty is left out of it.

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A box in per cent of a picture. */
interface PartOfPicture {
  left: number;
  top: number;
  width: number;
  height: number;
}

interface ValueFrom {
  shot: string | null;
  ink: string | null;
  glyphless: number | null;
  page: string | null;
  observation: string | null;
  locators: string[];
  url: string | null;
  role: string | null;
  label: string | null;
  box: Box | null;
  frame: string | null;
  fingerprint: string | null;
  title: string | null;
}

interface Decided {
  act: string;
  by: string[];
  at: string;
  value?: string;
  why?: string;
  file?: string;
}

interface FieldCell {
  state: "value" | "not_present" | "not_found";
  value?: string;
  shown?: string;
  ink?: string;
  candidates?: string[];
}

interface SampleField {
  n: string;
  state: "value" | "not_present" | "not_found";
  value?: string;
  cut?: number;
  shown?: string;
  origin?: string;
  by?: string;
  src?: Partial<ValueFrom>;
  response?: { url: string; pointer?: string; sha256: string };
  candidates?: { shown: string; src: ValueFrom }[];
  rows?: { cells: Record<string, FieldCell>; page: string | null }[];
  of_rows?: number;
  lacking?: string;
  near?: { shown: string; label: string; why: string }[];
  settled_by?: { paste: string; gives: string | null; why: string }[];
  review?: Decided;
}

interface StoredFile {
  name: string;
  kind: string;
  label?: string;
  sha: string;
  size: number;
  type: string;
  url: string;
  at: string;
  area?: Box;
  original?: string;
  part?: [number, number];
  of_values?: true;
  http?: number;
  title?: string;
  browser?: string;
  viewport?: { width_px: number; height_px: number };
  problem?: string;
}

interface SampleStep {
  n: number;
  act: string;
  tag?: string;
  why?: string;
  did?: string;
  at?: string;
  ms?: number;
  by?: string;
  bad?: true;
  proof?: "proven" | "mismatch";
  changes?: string[];
  told?: string[];
  notes?: string[];
  heals?: string[];
  files?: string[];
  saved?: string[];
  picture?: string;
  problems?: string[];
  llm_calls: number;
  cost_usd: number;
  tokens?: number;
  shot?: string;
  box?: Box;
  found?: string[];
  marks?: string[];
  line?: number;
  section?: string;
  once?: true;
  url?: string;
}

interface SampleDetail {
  id: string;
  key?: string;
  row?: number;
  url?: string;
  input?: Record<string, string>;
  found_at?: string;
  found_on?: string;
  item?: Record<string, string>;
  status?: string;
  reason?: string;
  message?: string;
  fault?: string;
  flagged?: boolean;
  hints?: string[];
  lessons?: { patterns?: string[]; failures?: string[] };
  attempt?: number;
  decided_by?: string;
  started_at?: string;
  finished_at?: string;
  usage?: Record<string, number>;
  judgment?: { question: string; answer: string; confidence: number; reasoning: string; decided_by?: string; evidence_refs?: string[] };
  review?: Decided;
  judgment_review?: Decided;
  differs?: string[];
  notes?: string[];
  fields?: SampleField[];
  files?: StoredFile[];
  flow?: { name: string; hash: string; file?: string; sha?: string };
  steps?: SampleStep[];
  small?: { name: string; area: Box; w: number; h: number }[];
  unshown?: string[];
}

/** The sample that is shown, and what of the page shows it. */
interface ShownSample {
  at: number;
  detail: SampleDetail;
  fields: SampleField[];
  files: StoredFile[];
  /** The number of the value that is chosen; -1: none. */
  chosen: number;
  candidate?: number;
  /** One field is shown, and no other. */
  alone?: boolean;
  picture?: StoredFile;
  step?: any;
  // What of the page shows it: made after the sample is chosen, before anything is asked of it.
  stage?: any;
  caption?: any;
  values?: any;
  playback?: any;
  parts?: any;
}

// What may stand in an element: text is put into it as text.
type Child = Node | string | number | boolean | null | undefined | Child[];

// The pages are ours: what is asked for by a selector is an element of HTML.
interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelector(selectors: string): HTMLElement | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}

// The bundle that scripts/write_editor_bundle.py makes. Its own types are not kept.
declare module "codemirror" {
  export const Decoration: any, EditorState: any, EditorView: any, HighlightStyle: any, PostgreSQL: any;
  export const RangeSetBuilder: any, bracketMatching: any, defaultKeymap: any, foldGutter: any, foldKeymap: any;
  export const highlightSpecialChars: any, history: any, historyKeymap: any, indentOnInput: any, indentUnit: any;
  export const json: any, keymap: any, lineNumbers: any, python: any, sql: any, syntaxHighlighting: any;
  export const tags: any, unifiedMergeView: any;
}
