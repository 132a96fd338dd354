"""A page that shows how well a network does: one HTML file with everything inside, light and dark, wide and narrow."""

import base64
import html
import io

STYLE = """
:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#57606a;--line:#e1e4e8;--a:#0b5cad;--b:#b3371e}
@media(prefers-color-scheme:dark){:root{--back:#14171a;--text:#e9ecef;--soft:#a3acb5;--line:#2f353b;--a:#6cb6ff;--b:#ff9a85}}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:auto;padding:1.5rem 1rem 3rem}h1{line-height:1.2}h2{margin-top:2.2rem;font-size:1.15rem}
.soft,figcaption{color:var(--soft);overflow-wrap:anywhere}.notice{border-left:4px solid var(--b);padding:.4rem .9rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem .3rem 0;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:500}th:first-child,td:first-child{text-align:left}
.confusion td{padding:.3rem .5rem;text-align:center}.confusion td:first-child{text-align:left}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));gap:1rem}
figure{margin:0}img,svg{display:block;width:100%;height:auto}svg text{fill:var(--soft);font-size:11px}
"""


def escaped(text):
    return html.escape(str(text))


class Page:
    """Blocks from top to bottom; `write` makes the file."""

    def __init__(self, title, subtitle):
        self.title, self.blocks = title, [f"<h1>{escaped(title)}</h1><p class=soft>{escaped(subtitle)}</p>"]

    def heading(self, text):
        self.blocks.append(f"<h2>{escaped(text)}</h2>")

    def paragraph(self, text):
        self.blocks.append(f"<p>{escaped(text)}</p>")

    def notice(self, text):
        self.blocks.append(f"<p class=notice role=note>{escaped(text)}</p>")

    def table(self, columns, rows):
        head = "".join(f"<th>{escaped(name)}</th>" for name in columns)
        body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        self.blocks.append(f"<div class=scroll tabindex=0><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")

    def confusion(self, labels, counts):
        """`counts[i][j]`: how often label i was taken for label j."""
        head = "".join(f"<th>{escaped(name)}</th>" for name in labels)
        rows = ""
        for name, row in zip(labels, counts):
            total = max(1, sum(row))
            cells = "".join(
                f'<td style="background:color-mix(in srgb,var(--{"a" if i == list(labels).index(name) else "b"}) '
                f'{round(60 * value / total)}%,transparent)">{value or "·"}</td>' for i, value in enumerate(row))
            rows += f"<tr><td>{escaped(name)}</td>{cells}</tr>"
        self.blocks.append(
            f"<div class=scroll tabindex=0><table class=confusion><thead><tr><th>true \\ predicted</th>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>")

    def curves(self, figures):
        """Curves of precision over recall: (title, [(name, [(recall, precision), …]), …]), two a figure at most."""
        drawn = []
        for title, curves in figures:
            lines = ""
            for index, (name, points) in enumerate(curves):
                place = " ".join(f"{30 + 250 * x:.1f},{10 + 150 * (1 - y):.1f}" for x, y in points)
                ink = "var(--soft)" if index == 0 and len(curves) > 1 else "var(--a)"
                lines += f'<polyline points="{place}" fill="none" stroke="{ink}" stroke-width="2"><title>{escaped(name)}</title></polyline>'
            axes = '<path d="M30 10V160H280" fill="none" stroke="var(--line)"/><text x="280" y="176" text-anchor="end">recall</text>'
            axes += '<text x="30" y="176">0</text><text x="26" y="160" text-anchor="end">0</text><text x="26" y="16" text-anchor="end">1</text><text x="34" y="20">precision</text>'
            legend = ", ".join(f"{'grey' if index == 0 and len(curves) > 1 else 'blue'}: {name}" for index, (name, _) in enumerate(curves))
            drawn.append(f'<figure><svg viewBox="0 0 290 182" role="img" aria-label="{escaped(title)}">{axes}{lines}</svg>'
                         f"<figcaption>{escaped(title)}. {escaped(legend)}</figcaption></figure>")
        self.blocks.append(f"<div class=grid>{''.join(drawn)}</div>")

    def pictures(self, pictures):
        """Pictures of Pillow, each with its caption."""
        drawn = []
        for picture, caption in pictures:
            data = io.BytesIO()
            picture.convert("RGB").save(data, "JPEG", quality=80)
            source = base64.b64encode(data.getvalue()).decode()
            drawn.append(f'<figure><img alt="{escaped(caption)}" width="{picture.width}" height="{picture.height}" '
                         f'src="data:image/jpeg;base64,{source}"><figcaption>{escaped(caption)}</figcaption></figure>')
        self.blocks.append(f"<div class=grid>{''.join(drawn)}</div>")

    def write(self, path):
        path.write_text(
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
            'content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
            f"<title>{escaped(self.title)}</title><style>{STYLE}</style></head><body><main>{''.join(self.blocks)}</main></body></html>\n")
