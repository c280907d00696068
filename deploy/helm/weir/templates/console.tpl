# One console: it is the coordinator, and its volume holds the secrets. Its stop and start take seconds, in which agents
# spend the credits that they have.
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ include "weir.name" . }}-console
  labels: {{- include "weir.labels" . | nindent 4 }}
    app.kubernetes.io/component: console
spec:
  replicas: 1
  serviceName: {{ include "weir.name" . }}-console
  selector:
    matchLabels:
      app.kubernetes.io/instance: {{ .Release.Name }}
      app.kubernetes.io/component: console
  template:
    metadata:
      labels: {{- include "weir.labels" . | nindent 8 }}
        app.kubernetes.io/component: console
    spec:
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 30
      securityContext: {{- include "weir.podSecurity" . | nindent 8 }}
      {{- include "weir.placement" . | nindent 6 }}
      containers:
        - name: console
          image: {{ include "weir.image" . | quote }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          args:
            - console
            - --host=0.0.0.0
            - --port=8180
            - --data-dir=/var/lib/weir/console
            - --window-seconds={{ .Values.console.windowSeconds }}
            - --log-level={{ .Values.console.logLevel }}
            {{- if .Values.console.publicUrl }}
            - --public-url={{ .Values.console.publicUrl }}
            {{- end }}
            {{- if .Values.console.trustedProxies }}
            - --trusted-proxies={{ join "," .Values.console.trustedProxies }}
            {{- end }}
            {{- if .Values.console.keepDays }}
            - --keep-days={{ .Values.console.keepDays }}
            {{- end }}
            {{- if .Values.console.tls.secretName }}
            - --tls-cert=/etc/weir/tls/tls.crt
            - --tls-key=/etc/weir/tls/tls.key
            {{- end }}
          env:
            - name: WEIR_ADMIN_PASSWORD
              valueFrom:
                secretKeyRef:
                  name: {{ .Values.console.adminPassword.secretName }}
                  key: {{ .Values.console.adminPassword.secretKey }}
            {{- if .Values.console.storageUrl.secretName }}
            - name: WEIR_STORAGE_URL
              valueFrom:
                secretKeyRef:
                  name: {{ .Values.console.storageUrl.secretName }}
                  key: {{ .Values.console.storageUrl.secretKey }}
            {{- end }}
          ports:
            - name: api
              containerPort: 8180
          startupProbe:
            httpGet: { path: /healthz, port: api, scheme: {{ include "weir.scheme" . | upper }} }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /healthz, port: api, scheme: {{ include "weir.scheme" . | upper }} }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /healthz, port: api, scheme: {{ include "weir.scheme" . | upper }} }
            periodSeconds: 5
            timeoutSeconds: 3
          resources: {{- toYaml .Values.console.resources | nindent 12 }}
          securityContext: {{- include "weir.containerSecurity" . | nindent 12 }}
          volumeMounts:
            - name: data
              mountPath: /var/lib/weir
            - name: tmp
              mountPath: /tmp
            {{- if .Values.console.tls.secretName }}
            - name: tls
              mountPath: /etc/weir/tls
              readOnly: true
            {{- end }}
      volumes:
        - name: tmp
          emptyDir: {}
        {{- if .Values.console.tls.secretName }}
        - name: tls
          secret:
            secretName: {{ .Values.console.tls.secretName }}
            defaultMode: 0440
        {{- end }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- if .Values.console.persistence.storageClassName }}
        storageClassName: {{ .Values.console.persistence.storageClassName }}
        {{- end }}
        resources:
          requests:
            storage: {{ .Values.console.persistence.size }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "weir.name" . }}-console
  labels: {{- include "weir.labels" . | nindent 4 }}
    app.kubernetes.io/component: console
spec:
  type: {{ .Values.console.service.type }}
  selector:
    app.kubernetes.io/instance: {{ .Release.Name }}
    app.kubernetes.io/component: console
  ports:
    - name: api
      port: {{ .Values.console.service.port }}
      targetPort: api
