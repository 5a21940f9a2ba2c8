# Click streams, of which a tenth of the pages is nobody else's business.
sudare baskets suppress "$SUDARE_DATA/bms-webview-1.txt" --sensitive random:0.1 --rho 0.5 --max-known 1 -o published.txt
sudare baskets verify "$SUDARE_DATA/bms-webview-1.txt" published.txt --sensitive random:0.1 --rho 0.5 --certificate published.txt.certificate.json
