# One console is the coordinator. With several the others pass requests on to it, and one of them takes over within seconds,
# in which agents spend the credits that they have. The volume holds the secrets, copies of one secret with several.
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ include "weir.name" . }}-console
  labels: {{- include "weir.labels" . | nindent 4 }}
    app.kubernetes.io/component: console
spec:
  replicas: {{ .Values.console.replicas }}
  podManagementPolicy: Parallel
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
      {{- if .Values.console.sharedSecrets.secretName }}
      # The console keeps its files private, which a mounted secret is not.
      initContainers:
        - name: secrets
          image: {{ include "weir.image" . | quote }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          command: [sh, -c, 'install -d -m 0700 /var/lib/weir/console && install -m 0600 /etc/weir/shared/* /var/lib/weir/console/']
          securityContext: {{- include "weir.containerSecurity" . | nindent 12 }}
          volumeMounts:
            - name: data
              mountPath: /var/lib/weir
            - name: shared
              mountPath: /etc/weir/shared
              readOnly: true
      {{- end }}
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
            {{- if .Values.console.redisUrl.secretName }}
            - --advertise-url=http://$(POD_IP):8180
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
            {{- if .Values.console.redisUrl.secretName }}
            - name: WEIR_REDIS_URL
              valueFrom:
                secretKeyRef:
                  name: {{ .Values.console.redisUrl.secretName }}
                  key: {{ .Values.console.redisUrl.secretKey }}
            - name: POD_IP
              valueFrom:
                fieldRef:
                  fieldPath: status.podIP
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
        {{- if .Values.console.sharedSecrets.secretName }}
        - name: shared
          secret:
            secretName: {{ .Values.console.sharedSecrets.secretName }}
            defaultMode: 0440
            items:
              - key: secrets.json
                path: secrets.json
              - key: manifest-key.pem
                path: manifest-key.pem
        {{- end }}
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
