# Agents keep their credential on a volume of their own, under a name that stays: the pod's.
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ include "weir.name" . }}-agent
  labels: {{- include "weir.labels" . | nindent 4 }}
    app.kubernetes.io/component: agent
spec:
  replicas: {{ .Values.agents.replicas }}
  serviceName: {{ include "weir.name" . }}-agent
  podManagementPolicy: Parallel
  selector:
    matchLabels:
      app.kubernetes.io/instance: {{ .Release.Name }}
      app.kubernetes.io/component: agent
  template:
    metadata:
      labels: {{- include "weir.labels" . | nindent 8 }}
        app.kubernetes.io/component: agent
    spec:
      automountServiceAccountToken: false
      # Objects under way are finished, the rest goes back to the queue.
      terminationGracePeriodSeconds: 60
      securityContext: {{- include "weir.podSecurity" . | nindent 8 }}
      {{- include "weir.placement" . | nindent 6 }}
      containers:
        # It listens nowhere, so there is nothing to probe: it ends when it cannot work, and the console shows who is silent.
        - name: agent
          image: {{ include "weir.image" . | quote }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          args:
            - agent
            - --console={{ include "weir.scheme" . }}://{{ include "weir.name" . }}-console:{{ .Values.console.service.port }}
            - --state-dir=/var/lib/weir/agent
            - --name=$(POD_NAME)
            - --slots={{ .Values.agents.slots }}
            - --concurrency={{ .Values.agents.concurrency }}
          env:
            - name: POD_NAME
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
            - name: WEIR_TOKEN
              valueFrom:
                secretKeyRef:
                  name: {{ .Values.agents.token.secretName }}
                  key: {{ .Values.agents.token.secretKey }}
          resources: {{- toYaml .Values.agents.resources | nindent 12 }}
          securityContext: {{- include "weir.containerSecurity" . | nindent 12 }}
          volumeMounts:
            - name: state
              mountPath: /var/lib/weir
            - name: tmp
              mountPath: /tmp
      volumes:
        - name: tmp
          emptyDir: {}
  volumeClaimTemplates:
    - metadata:
        name: state
      spec:
        accessModes: [ReadWriteOnce]
        {{- if .Values.agents.persistence.storageClassName }}
        storageClassName: {{ .Values.agents.persistence.storageClassName }}
        {{- end }}
        resources:
          requests:
            storage: {{ .Values.agents.persistence.size }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "weir.name" . }}-agent
  labels: {{- include "weir.labels" . | nindent 4 }}
    app.kubernetes.io/component: agent
spec:
  # Gives the pods their names; nothing listens.
  clusterIP: None
  selector:
    app.kubernetes.io/instance: {{ .Release.Name }}
    app.kubernetes.io/component: agent
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "weir.name" . }}-agent
  labels: {{- include "weir.labels" . | nindent 4 }}
    app.kubernetes.io/component: agent
spec:
  maxUnavailable: {{ .Values.agents.disruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      app.kubernetes.io/instance: {{ .Release.Name }}
      app.kubernetes.io/component: agent
