export { Agent, type AgentEnd } from './agent.ts';
export { AgentOptionsError, type AgentOptions, type OptionProblem } from './config/agent-options.ts';
export { CredentialFileError } from './credential/credential-file.ts';
export { EnrolmentError } from './credential/enrol.ts';
export { createAgentLog } from './log.ts';
export { startAgent, type AgentDependencies } from './start-agent.ts';
