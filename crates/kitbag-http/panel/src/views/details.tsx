// Durations of stages and providers, redactions, and statistics.

import { chunkKey } from "../changes";
import { count, duration, integer } from "../format";
import { update } from "../store";
import type { Pack, ProviderOutcome, Report } from "../types";
import { visible } from "../visible";
import { Path } from "./parts";

const RESERVES = ["response", "system", "instruction", "completion"];

export function DetailsView({ pack }: { pack: Pack }) {
  const { report } = pack;
  return (
    <div class="details">
      <Providers report={report} />
      <Facts pack={pack} />
      <Stages report={report} />
      <Redactions report={report} />
    </div>
  );
}

function Redactions({ report }: { report: Report }) {
  const total = Object.values(report.stats.redactions).reduce((sum, value) => sum + value, 0);
  return (
    <section class="card" id="redactions">
      <h3>Redactions <span class="number muted">{integer(total)}</span></h3>
      {total === 0 && <p class="muted">No secret was found on the lines of the pack.</p>}
      {total > 0 && report.redactions.length === 0 && <p class="muted">Records count redactions, but do not locate them.</p>}
      <ul>
        {report.redactions.map(({ path, line, rule }) => (
          <li><button type="button" class="link-button" onClick={() => showLine(report, path, line)}><Path path={path} lines={`:${line}`} /></button> <span class="muted">{visible(rule)}</span></li>
        ))}
      </ul>
    </section>
  );
}

/** Selects the chunk that shows a line, and scrolls to the line. */
function showLine(report: Report, path: string, line: number): void {
  const isIn = (chunk: Report["included"][number]) => chunk.path === path && chunk.shown.some(([start, end]) => start <= line && line <= end);
  const chunk = report.included.find(isIn) ?? report.included.find((it) => it.path === path);
  if (chunk) update({ tab: "included", filter: "", selected: chunkKey(chunk), line });
}

function Stages({ report }: { report: Report }) {
  const total = report.timings.find((it) => it.stage === "total")?.ms ?? 0;
  const all = report.timings.filter((it) => it.stage !== "total");
  const sum = Math.max(total, all.reduce((ms, it) => ms + it.ms, 0), Number.EPSILON);
  let before = 0;
  const rows = all.map(({ stage, ms }) => {
    const from = before;
    before += ms;
    return (
      <tr>
        <th scope="row">{visible(stage)}</th>
        <td class="track-cell"><span class="track" aria-hidden="true" style={{ "--from": `${(100 * from) / sum}%`, "--share": `${(100 * ms) / sum}%` }}><span class="span" /></span></td>
        <td class="number">{duration(ms)}</td>
      </tr>
    );
  });
  return (
    <section class="card">
      <h3>Stages <span class="number muted">{duration(total)}</span></h3>
      <table class="figures" aria-label="Stages"><tbody>{rows}</tbody></table>
    </section>
  );
}

/** Lists the providers that did something; the others are only named. */
function Providers({ report }: { report: Report }) {
  const isIdle = ({ outcome, sources }: ProviderOutcome) => outcome === "off" || (outcome === "empty" && sources === 0);
  const active = report.providers.filter((it) => !isIdle(it)).sort((a, b) => b.tokens - a.tokens);
  const idle = (outcome: string) => report.providers.filter((it) => isIdle(it) && it.outcome === outcome).map(({ id }) => visible(id).replaceAll("_", " "));
  return (
    <section class="card">
      <h3>Providers</h3>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Providers">
        <table class="figures">
          <thead><tr><th scope="col">Provider</th><th scope="col">Outcome</th><th scope="col" class="number">Chunks</th><th scope="col" class="number">Tokens</th><th scope="col" class="number">Time</th></tr></thead>
          <tbody>
            {active.map((it) => (
              <tr>
                <th scope="row">{visible(it.id).replaceAll("_", " ")}{it.detail != null && <span class="muted block-text">{visible(it.detail)}</span>}</th>
                <td><span class={`chip outcome-${it.outcome}`}>{it.outcome.replace("_", " ")}</span></td>
                <td class="number">{integer(it.chunks)}</td><td class="number">{integer(it.tokens)}</td><td class="number">{duration(it.ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {idle("empty").length > 0 && <p class="muted idle">Without input or results: {idle("empty").join(", ")}.</p>}
      {idle("off").length > 0 && <p class="muted idle">Off: {idle("off").join(", ")}.</p>}
    </section>
  );
}

function Facts({ pack }: { pack: Pack }) {
  const { stats, tokenizer, correlation_id: correlationId } = pack.report;
  const rows: [string, string][] = [
    ["Budget", budgetText(pack)],
    ["Files searched", integer(stats.files_searched)],
    ["Candidates", `${count(stats.sources, "source")} in ${count(stats.files, "file")}, ${count(stats.chunks, "chunk")}`],
    ["Duplicates left out", `${integer(stats.duplicates)} exact, ${integer(stats.overlaps)} overlapping, ${integer(stats.near_duplicates)} near`],
    ["Mean relevance", stats.average_relevance.toFixed(3)],
    ["Tokenizer", tokenizer.exact ? `${tokenizer.name}, exact` : `${tokenizer.name}, estimate${tokenizer.error ? `: ${tokenizer.error}` : ""}`],
    ...(correlationId ? [["Correlation id", correlationId] as [string, string]] : []),
  ];
  return (
    <section class="card">
      <h3>Statistics</h3>
      <dl class="facts">{rows.map(([name, value]) => <><dt>{name}</dt><dd class="number">{visible(value)}</dd></>)}</dl>
    </section>
  );
}

/** Says what the budget follows from. Reserves apply only if the request gives no budget. */
function budgetText({ settings, request, report }: Pack): string {
  if (!settings || (request.budget ?? null) !== null) return `${integer(report.budget)} tokens, given`;
  const reserves = RESERVES.flatMap((name) => {
    const tokens = settings.get(`context.budget.${name}_reserve`);
    return typeof tokens === "number" && tokens > 0 ? [`${integer(tokens)} for the ${name === "system" ? "system prompt" : name}`] : [];
  });
  return `${integer(report.budget)} tokens${reserves.length > 0 ? `: the window minus ${reserves.join(" and ")}` : ""}`;
}
