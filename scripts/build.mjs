import { build, ensureNodeModules } from './prepare.mjs';

ensureNodeModules();
build();
