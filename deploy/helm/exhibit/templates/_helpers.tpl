{{- define "exhibit.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{- else -}}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end }}

{{/* Each service by the key of its values: its name, and whether it checks who has signed an event. */}}
{{- define "exhibit.services" -}}
discovery: {name: discovery, checks: true}
browserPool: {name: browser_pool, checks: false}
planner: {name: planner, checks: false}
vision: {name: vision, checks: false}
workflows: {name: workflows, checks: true}
evidence: {name: evidence, checks: true}
{{- end }}

{{- define "exhibit.objectName" -}}
{{ include "exhibit.fullname" .root }}-{{ .service.name | replace "_" "-" }}
{{- end }}

{{- define "exhibit.selector" -}}
app.kubernetes.io/name: exhibit
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service.name | replace "_" "-" }}
{{- end }}

{{- define "exhibit.labels" -}}
{{ include "exhibit.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "exhibit.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end }}

{{/* The Service of the NATS chart has the name that such charts give themselves. */}}
{{- define "exhibit.busUrl" -}}
{{- $own := .Values.nats.fullnameOverride | default (ternary .Release.Name (printf "%s-nats" .Release.Name) (contains "nats" .Release.Name)) -}}
{{- .Values.bus.url | default (printf "%s://%s:4222" (ternary "tls" "nats" (ne .Values.bus.tls.secret "")) $own) -}}
{{- end }}

{{/* Peers of a NetworkPolicy: the internet, and no address of a private network, nor the cloud's own. */}}
{{- define "exhibit.internet" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, 169.254.0.0/16, 127.0.0.0/8]
- ipBlock:
    cidr: ::/0
    except: ["fc00::/7", "fe80::/10", "::1/128"]
{{- end }}

{{/* What comes after `ports:` and `to:` of a rule. */}}
{{- define "exhibit.ports" -}}
{{- range . }}
- port: {{ . }}
{{- end }}
{{- end }}
{{- define "exhibit.cidrs" -}}
{{- range . }}
- ipBlock: {cidr: {{ . | quote }}}
{{- end }}
{{- end }}

{{/* Whether KEDA says how many there are. */}}
{{- define "exhibit.scaled" -}}
{{- if and .root.Values.keda.enabled (has .key (list "planner" "browserPool")) }}yes{{ end -}}
{{- end }}

{{- define "exhibit.env" -}}
{{- $v := .root.Values -}}
EXHIBIT_NATS_URL: {{ include "exhibit.busUrl" .root | quote }}
EXHIBIT_NATS_SEED: /run/exhibit/bus.seed
EXHIBIT_NATS_REPLICAS: {{ $v.bus.replicas | quote }}
EXHIBIT_HTTP_PORT: {{ $v.http.port | quote }}
EXHIBIT_HTTP_HOST: 0.0.0.0
EXHIBIT_LOG_LEVEL: {{ $v.logs.level | quote }}
EXHIBIT_LOG_FORMAT: {{ $v.logs.format | quote }}
{{- with $v.otlpEndpoint }}
EXHIBIT_OTLP_ENDPOINT: {{ . | quote }}
{{- end }}
{{- if $v.bus.tls.secret }}
EXHIBIT_NATS_CA: /run/exhibit-tls/ca.crt
{{- if $v.bus.tls.client }}
EXHIBIT_NATS_CERT: /run/exhibit-tls/tls.crt
EXHIBIT_NATS_KEY: /run/exhibit-tls/tls.key
{{- end }}
{{- end }}
{{- if eq .key "browserPool" }}
EXHIBIT_BROWSER_CAPACITY: {{ $v.browserPool.capacity | quote }}
{{- else if eq .key "planner" }}
EXHIBIT_PLANNER_CAPACITY: {{ $v.planner.capacity | quote }}
{{- else if eq .key "workflows" }}
EXHIBIT_WORKFLOW_STORAGE: bus
EXHIBIT_TOOLS_DIR: /var/lib/exhibit/tools
{{- else if eq .key "evidence" }}
EXHIBIT_EVIDENCE_BUCKET: {{ $v.s3.bucket | quote }}
EXHIBIT_S3_ENDPOINT: {{ $v.s3.endpoint | quote }}
EXHIBIT_S3_REGION: {{ $v.s3.region | quote }}
EXHIBIT_S3_ACCESS_KEY_FILE: /run/s3/access-key
EXHIBIT_S3_SECRET_KEY_FILE: /run/s3/secret-key
EXHIBIT_S3_RETENTION_DAYS: {{ $v.s3.retention.days | quote }}
EXHIBIT_S3_RETENTION_MODE: {{ $v.s3.retention.mode | quote }}
{{- if $v.s3.caSecret }}
EXHIBIT_S3_CA: /run/s3-ca/ca.crt
{{- end }}
{{- if $v.evidence.signingKeySecret }}
EXHIBIT_SIGNING_KEY: /run/signing/key.pem
{{- end }}
{{- end }}
{{- if and $v.model.secret (has .key (list "planner" "vision")) }}
ANTHROPIC_API_KEY_FILE: /run/model/key
{{- with $v.model.baseUrl }}
ANTHROPIC_BASE_URL: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Of each volume: where it is mounted, whether it may be written to, and what it is. */}}
{{- define "exhibit.volumes" -}}
{{- $v := .root.Values -}}
- name: bus
  mountPath: /run/exhibit
  source:
    secret:
      secretName: {{ $v.bus.secret }}
      defaultMode: 0400
      items:
        - {key: {{ .service.name }}.seed, path: bus.seed}
        {{- if .service.checks }}
        - {key: signers.json, path: signers.json}
        {{- end }}
- name: tmp
  mountPath: /tmp
  source: {emptyDir: {sizeLimit: {{ if eq .key "browserPool" }}{{ $v.browserPool.tmp }}{{ else }}1Gi{{ end }}}}
{{- if $v.bus.tls.secret }}
- name: bus-tls
  mountPath: /run/exhibit-tls
  source: {secret: {secretName: {{ $v.bus.tls.secret }}, defaultMode: 0400}}
{{- end }}
{{- if eq .key "browserPool" }}
- name: shm
  mountPath: /dev/shm
  source: {emptyDir: {medium: Memory, sizeLimit: {{ $v.browserPool.shm }}}}
- name: state
  mountPath: /var/lib/exhibit/state
  source: {{ if $v.browserPool.logins.claim }}{persistentVolumeClaim: {claimName: {{ $v.browserPool.logins.claim }}}}{{ else }}{emptyDir: {sizeLimit: 64Mi}}{{ end }}
{{- else if eq .key "workflows" }}
- name: state
  mountPath: /var/lib/exhibit/state
  source: {{ if $v.workflows.packages.claim }}{persistentVolumeClaim: {claimName: {{ $v.workflows.packages.claim }}}}{{ else }}{emptyDir: {sizeLimit: 1Gi}}{{ end }}
{{- if $v.workflows.tools.configMap }}
- name: tools
  mountPath: /var/lib/exhibit/tools
  source: {configMap: {name: {{ $v.workflows.tools.configMap }}}}
{{- end }}
{{- else if eq .key "evidence" }}
- name: state
  mountPath: /var/lib/exhibit/state
- name: s3
  mountPath: /run/s3
  source: {secret: {secretName: {{ $v.s3.secret }}, defaultMode: 0400}}
{{- if $v.s3.caSecret }}
- name: s3-ca
  mountPath: /run/s3-ca
  source: {secret: {secretName: {{ $v.s3.caSecret }}}}
{{- end }}
{{- if $v.evidence.signingKeySecret }}
- name: signing
  mountPath: /run/signing
  source: {secret: {secretName: {{ $v.evidence.signingKeySecret }}, defaultMode: 0400}}
{{- end }}
{{- else }}
- name: state
  mountPath: /var/lib/exhibit/state
  source: {emptyDir: {sizeLimit: 64Mi}}
{{- end }}
{{- if and $v.model.secret (has .key (list "planner" "vision")) }}
- name: model
  mountPath: /run/model
  source: {secret: {secretName: {{ $v.model.secret }}, defaultMode: 0400}}
{{- end }}
{{- end }}

{{- define "exhibit.podSpec" -}}
{{- $own := index .root.Values .key -}}
{{- $volumes := include "exhibit.volumes" . | fromYamlArray -}}
serviceAccountName: {{ include "exhibit.fullname" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 60
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
containers:
  - name: {{ .service.name | replace "_" "-" }}
    image: {{ include "exhibit.image" .root | quote }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    args: [serve, {{ .service.name }}]
    env:
      {{- range $name, $value := merge (dict) $own.env .root.Values.env (include "exhibit.env" . | fromYaml) }}
      - {name: {{ $name }}, value: {{ $value | toString | quote }}}
      {{- end }}
    {{- with $own.envFrom }}
    envFrom: {{ toYaml . | nindent 6 }}
    {{- end }}
    ports:
      - {name: http, containerPort: {{ .root.Values.http.port }}}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: {drop: [ALL]}
      {{- if eq .key "browserPool" }}
      seccompProfile: {type: Localhost, localhostProfile: {{ .root.Values.seccomp.browserPool }}}
      {{- end }}
    startupProbe:
      httpGet: {path: /health, port: http}
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: {path: /health, port: http}
      periodSeconds: 15
      timeoutSeconds: 5
      failureThreshold: 4
    readinessProbe:
      httpGet: {path: /ready, port: http}
      periodSeconds: 15
      timeoutSeconds: 8
    resources: {{ toYaml $own.resources | nindent 6 }}
    volumeMounts:
      {{- range $volumes }}
      - {name: {{ .name }}, mountPath: {{ .mountPath }}{{ if or (dig "source" "secret" "" .) (dig "source" "configMap" "" .) }}, readOnly: true{{ end }}}
      {{- end }}
volumes:
  {{- range $volumes }}
  {{- if .source }}
  - {{ merge (dict "name" .name) .source | toYaml | nindent 4 | trim }}
  {{- end }}
  {{- end }}
{{- with $own.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $own.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $own.topologySpreadConstraints }}
topologySpreadConstraints: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
