"""Files that tests make: a PDF with a text, and a workbook."""

from __future__ import annotations

import io
import zipfile

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject


def pdf(text: str, password: str | None = None) -> bytes:
    writer = PdfWriter()
    page = writer.add_blank_page(300, 300)
    font = DictionaryObject({NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")})
    font[NameObject("/BaseFont")] = NameObject("/Helvetica")
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    content = DecodedStreamObject()
    content.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(content)
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


TYPES = "http://schemas.openxmlformats.org"
CELL = '<c t="inlineStr"><is><t>{0}</t></is></c>'


def xlsx(rows: str) -> bytes:
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{TYPES}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{TYPES}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{TYPES}/spreadsheetml/2006/main" xmlns:r="{TYPES}/officeDocument/2006/'
        'relationships"><sheets><sheet name="Assets" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{TYPES}/package/2006/relationships"><Relationship '
        f'Id="r1" Type="{TYPES}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{TYPES}/spreadsheetml/2006/main"><sheetData>{rows}'
        "</sheetData></worksheet>",
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, '<?xml version="1.0"?>' + text)
    return out.getvalue()
