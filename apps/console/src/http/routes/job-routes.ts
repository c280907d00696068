import { actOnJob } from '../../actions/act-on-job.ts';
import type { ConsoleContext } from '../../actions/context.ts';
import { createEndpoint } from '../../actions/create-endpoint.ts';
import { createJob } from '../../actions/create-job.ts';
import { deleteJob } from '../../actions/delete-job.ts';
import { deleteEndpoint } from '../../actions/delete-endpoint.ts';
import { listBuckets } from '../../actions/list-buckets.ts';
import { listEndpoints } from '../../actions/list-endpoints.ts';
import { listFailures } from '../../actions/list-failures.ts';
import { listJobs, readJob } from '../../actions/read-job.ts';
import { readManifest } from '../../actions/read-manifest.ts';
import { readPlan } from '../../actions/read-plan.ts';
import { repeatJob } from '../../actions/repeat-job.ts';
import { testEndpoint } from '../../actions/test-endpoint.ts';
import { personOf, type Handlers } from '../call.ts';

/** Endpoints. */
export function endpointRoutes(
  context: ConsoleContext,
): Pick<Handlers, 'endpoints' | 'createEndpoint' | 'testEndpoint' | 'endpointBuckets' | 'deleteEndpoint'> {
  return {
    endpoints: async () => ({ endpoints: await listEndpoints(context) }),
    createEndpoint: (call) => createEndpoint(context, call.body, personOf(call).username),
    testEndpoint: ({ body }) => testEndpoint(context, body),
    endpointBuckets: async ({ params }) => ({ buckets: await listBuckets(context, params.endpointId) }),
    async deleteEndpoint(call) {
      await deleteEndpoint(context, call.params.endpointId, personOf(call).username);
      return {};
    },
  };
}

/** Copy jobs. */
export function jobRoutes(
  context: ConsoleContext,
): Pick<
  Handlers,
  | 'jobs'
  | 'job'
  | 'createJob'
  | 'actOnJob'
  | 'jobFailures'
  | 'jobPlan'
  | 'repeatJob'
  | 'deleteJob'
  | 'jobManifest'
  | 'manifestKey'
> {
  return {
    jobs: async ({ query }) => ({ jobs: await listJobs(context, query.limit) }),
    job: ({ params }) => readJob(context, params.jobId),
    createJob: (call) => createJob(context, call.body, personOf(call).username),
    actOnJob: (call) => actOnJob(context, call.params.jobId, call.params.action, personOf(call).username),
    jobFailures: ({ params, query }) => listFailures(context, params.jobId, query.limit),
    jobPlan: async ({ params }) => ({ objects: await readPlan(context, params.jobId) }),
    repeatJob: (call) => repeatJob(context, call.params.jobId, call.body, personOf(call).username),
    async deleteJob(call) {
      await deleteJob(context, call.params.jobId, personOf(call).username);
      return {};
    },
    jobManifest: ({ params }) => readManifest(context, params.jobId),
    manifestKey: () => context.manifestSigner.key,
  };
}
